import HowdahModel

/// A fetch index for the filter and the order of a table, as code for the model.
struct IndexAdvice {
    let view: ObjectsView
    let guide: ModelGuide

    /// The stored properties of the entity by which an index can find or order objects.
    var names: [String] {
        var names: [String] = []
        let filtered = indexed.flatMap(\.keyPaths)
        // In the order of an index, the server would read rows until enough of them have the pattern.
        let keys = patterns == nil ? view.sort : []
        let sorted = keys.map { [$0.hasPrefix("-") ? String($0.dropFirst()) : $0] }
        for path in filtered + sorted where path.count == 1 {
            if isStored(path[0], of: view.entity), !names.contains(path[0]) { names.append(path[0]) }
        }
        return isIndexed(names, of: view.entity) ? [] : names
    }

    /// The attributes at the other end of to-one relationships by which an index can find objects, with their entity.
    var related: [(entity: String, name: String)] {
        var found: [(entity: String, name: String)] = []
        for path in indexed.flatMap(\.keyPaths) where path.count == 2 {
            let relationship = guide.model.property(named: path[0], of: view.entity)?.relationship
            guard let relationship, !relationship.isToMany else { continue }
            let end = (entity: relationship.destination, name: path[1])
            guard isStored(end.name, of: end.entity), !isIndexed([end.name], of: end.entity),
                !found.contains(where: { $0 == end })
            else { continue }
            found.append(end)
        }
        return found
    }

    /// The comparisons that an index serves.
    private var indexed: [PredicateTree.Node] { tree?.comparisons.filter(\.isIndexed) ?? [] }

    /// The operators of the filter for which the server reads each value; nil for none.
    var patterns: String? {
        let found = Set(tree?.comparisons.compactMap(\.pattern) ?? [])
        return found.isEmpty ? nil : found.sorted().joined(separator: ", ")
    }

    private var tree: PredicateTree.Node? {
        view.filter.flatMap { try? PredicateTree(filter: $0) }?.root
    }

    /// The code for each entity that an index may help; empty if the filter and the order name no stored property.
    var code: [(entity: String, text: String)] {
        let names = names
        let own = names.isEmpty ? [] : [(entity: view.entity, text: Self.code(names))]
        return own + related.map { (entity: $0.entity, text: Self.code([$0.name])) }
    }

    private static func code(_ names: [String]) -> String {
        let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
        return "FetchIndexDescription(\"by_\(names.joined(separator: "_"))\", on: \(list))"
    }

    /// The properties that an index may help, for a sentence; nil if there are none.
    var words: String? {
        let own = names.isEmpty ? [] : [names.joined(separator: ", ")]
        let all = own + related.map { "\($0.name) of \($0.entity)" }
        return all.isEmpty ? nil : all.joined(separator: ", and one for ")
    }

    /// Indicates whether a fetch index of the model begins with properties, or a uniqueness constraint is of the only one.
    private func isIndexed(_ names: [String], of entity: String) -> Bool {
        let lineage = guide.model.lineage(of: entity)
        if lineage.flatMap(\.uniquenessConstraints).contains(where: {
            $0.starts(with: names) && !names.isEmpty
        }) {
            return true
        }
        return lineage.flatMap(\.fetchIndexes).contains { index in
            index.method == .btree && index.partialIndexPredicate == nil
                && index.elements.map(\.subject).starts(with: names.map { .property($0) })
        }
    }

    private func isStored(_ name: String, of entity: String) -> Bool {
        guard let property = guide.model.property(named: name, of: entity) else { return false }
        return property.attribute.map { $0.isStored && ShownColumns.isCompared($0.type) } ?? false
    }
}

extension PredicateTree.Node {
    /// The comparisons of the condition.
    fileprivate var comparisons: [Self] {
        switch self {
        case .comparison: [self]
        case .and(let inner), .or(let inner): inner.flatMap(\.comparisons)
        case .not(let inner): inner.comparisons
        case .constant, .invalid: []
        }
    }

    /// The operator of a comparison with any part of a text; nil for others.
    fileprivate var pattern: String? {
        guard case .comparison(_, let op, _, _, _) = self else { return nil }
        return switch op {
        case .contains, .endsWith, .like, .matches: op.rawValue
        default: nil
        }
    }

    /// Indicates whether an index finds the values: not all but one, and not without regard to case.
    fileprivate var isIndexed: Bool {
        guard case .comparison(_, let op, _, let options, _) = self else { return false }
        return switch op {
        case .equal, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .between, .in,
            .beginsWith:
            options.isEmpty
        default: false
        }
    }

    fileprivate var keyPaths: [[String]] { PredicateTree(self).keyPaths }
}
