import HowdahModel
import PQClient

/// A fetch whose names were all found in the model: joins, condition and order, still without a select list.
struct ResolvedFetch {
    let layout: EntityLayout
    private(set) var scope: SQLScope
    private(set) var condition: String
    private(set) var order: [String]
    var parameters: Parameters

    /// Looks up everything a request names.
    ///
    /// - Throws: `PredicateTreeError`, or `FetchError.invalidRequest`, naming what does not fit the model.
    init<Object>(
        _ request: FetchRequest<Object>, layout: EntityLayout, layouts: [EntityLayout], ordered: Bool = true
    ) throws {
        self.layout = layout
        scope = try SQLScope(layout: layout, layouts: layouts, counter: SQLScope.AliasCounter())
        let resolver = KeyPathResolver(layouts: layouts)
        var renderer = PredicateRenderer(resolver: resolver, parameters: Parameters())
        var conditions: [String] = []
        if let family = try Self.familyCondition(request, layout, scope, &renderer) {
            conditions.append(family)
        }
        if let predicate = request.predicate {
            let condition = try renderer.condition(predicate.root, in: scope)
            try SQLArithmetic.checkDepth(of: condition)
            conditions.append(condition)
        }
        condition = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        order = []
        parameters = renderer.parameters
        guard ordered else { return }
        var ties: [String] = []
        for key in request.sortDescriptors { order.append(try Self.sort(key, resolver, scope, &ties)) }
        order += ties
        order.append(scope.key)
    }

    /// Restricts a hierarchy's table to the entity asked for.
    private static func familyCondition<Object>(
        _ request: FetchRequest<Object>, _ layout: EntityLayout, _ scope: SQLScope,
        _ renderer: inout PredicateRenderer
    ) throws -> String? {
        guard let discriminator = layout.discriminator else { return nil }
        let isWholeTable = layout.index == layout.root && request.includesSubentities
        if isWholeTable { return nil }
        let names = request.includesSubentities ? layout.concreteStoredNames : [layout.storedName]
        try renderer.parameters.appendArray(of: .text, count: names.count) { cells in
            for name in names { try cells.string(name) }
        }
        return "\(scope.alias).\(discriminator) = ANY($\(renderer.parameters.count))"
    }

    /// - Parameter ties: What decides only where all keys are equal: texts that differ by nothing but case.
    private static func sort<Object>(
        _ key: SortKey<Object>, _ resolver: KeyPathResolver, _ scope: SQLScope, _ ties: inout [String]
    ) throws -> String {
        if let complaint = key.complaint { throw FetchError(.invalidRequest, complaint) }
        let path = key.keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard path != [""], case .operand(let operand) = try resolver.resolve(path[...], in: scope) else {
            throw FetchError(
                .invalidRequest,
                "A sort key names a property and cannot cross a to-many relationship: '\(key.keyPath)'.")
        }
        let direction = key.isAscending ? "ASC NULLS FIRST" : "DESC NULLS LAST"
        switch operand {
        case .column(let column) where column.isCaseInsensitive:
            ties.append("\(column.ordered.sql) \(direction)")
            return column.folded(.caseInsensitive, in: resolver.folding).ordered.sortKeys(direction)
        case .column(let column) where column.sortsAsConstraint && column.isBytewise:
            return "\(column.sql) \(key.isAscending ? "ASC" : "DESC")"
        case .column(let column): return column.ordered.sortKeys(direction)
        case .object(let sql, _, _): return "\(sql) \(direction)"
        default:
            throw FetchError(
                .invalidRequest,
                "'\(key.keyPath)' cannot be sorted by; name one attribute, or one element of a composite.")
        }
    }
}
