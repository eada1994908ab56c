import HowdahModel

/// A fetch index for the filter and the order of a table, as code for the model.
struct IndexAdvice {
    let view: ObjectsView
    let guide: ModelGuide

    /// The stored properties of the entity by which an index can find or order objects.
    var names: [String] {
        var names: [String] = []
        // Of an index, the server uses what comes before the first range, and that range.
        let (equal, ranges) = (own(.equal), own(.range))
        let filtered = equal + ranges.prefix(1)
        // In the order of an index, the server would read rows until enough of them have the pattern.
        let keys = patterns == nil && ranges.isEmpty ? view.sort : []
        let sorted = keys.map { [$0.hasPrefix("-") ? String($0.dropFirst()) : $0] }
        for path in filtered + sorted where path.count == 1 {
            if isStored(path[0], of: view.entity), !names.contains(path[0]) { names.append(path[0]) }
        }
        return isIndexed(names, of: view.entity) ? [] : names
    }

    /// The attributes at the other end of to-one relationships by which an index can find objects, with their entity.
    var related: [(entity: String, name: String)] {
        var found: [(entity: String, name: String)] = []
        for path in self.found(.equal) + self.found(.range) where path.count == 2 {
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

    /// The key paths of the comparisons of one kind that all objects of the filter must pass.
    private func found(_ use: PredicateTree.Node.IndexUse) -> [[String]] {
        tree?.conditions.compactMap { $0.indexUse?.use == use ? $0.indexUse?.path : nil } ?? []
    }

    private func own(_ use: PredicateTree.Node.IndexUse) -> [[String]] { found(use).filter { $0.count == 1 } }

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

    /// The conditions that are all true.
    fileprivate var conditions: [Self] {
        if case .and(let inner) = self { inner.flatMap(\.conditions) } else { [self] }
    }

    /// The use of an index for a comparison.
    enum IndexUse { case equal, range }

    /// The use of an index for a comparison of a property with values, and the property; nil if the server reads each value.
    fileprivate var indexUse: (use: IndexUse, path: [String])? {
        guard case .comparison(.keyPath(let path), let op, let value, let options, .direct) = self,
            options.isEmpty, value.isLiteral
        else { return nil }
        switch op {
        case .equal, .in: return (.equal, path)
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .between, .beginsWith:
            return (.range, path)
        default: return nil
        }
    }
}

extension PredicateTree.Expression {
    fileprivate var isLiteral: Bool {
        switch self {
        case .constant, .collection: true
        // A date in a filter.
        case .cast(let inner, _): inner.isLiteral
        default: false
        }
    }
}
