package import HowdahModel
package import PQClient

/// A fetch whose names were all found in the model: joins, condition and order, still without a select list.
package struct ResolvedFetch {
    let layout: EntityLayout
    package private(set) var scope: SQLScope
    package private(set) var condition: String
    private(set) var terms: [OrderTerm] = []
    /// What the terms are made of, each once; the key is the last.
    private(set) var sources: [OrderSource] = []
    package var parameters: Parameters

    /// The expressions of ORDER BY.
    package var order: [String] { terms.map(\.text) }

    /// Looks up everything a request names.
    ///
    /// - Throws: `PredicateTreeError`, or `FetchError.invalidRequest`, naming what does not fit the model.
    package init<Object>(
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
            let condition: String
            do {
                condition = try renderer.condition(predicate.root, in: scope)
            } catch let error as PredicateTreeError {
                // An unknown key comes first: what else is wrong may follow from it.
                guard error.code != .unknownKey,
                    let unknown = resolver.unknownKeys(in: predicate.keyPaths, of: layout).first
                else { throw error }
                throw unknown.error
            }
            try SQLArithmetic.checkDepth(of: condition)
            conditions.append(condition)
        }
        condition = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        parameters = renderer.parameters
        let found = try request.search.map {
            try SearchCondition($0, in: scope, resolver, &parameters)
        }
        if let found { require(found.condition) }
        guard ordered else { return }
        var ties: [OrderTerm] = []
        for key in request.sortDescriptors { try sort(by: key, resolver, &ties) }
        terms += ties
        if let found, request.sortDescriptors.isEmpty { sort(byRank: found.rank) }
        terms.append(
            OrderTerm(
                sql: scope.key, isAscending: true, isNullable: false, spelling: .bare,
                source: sources.count
            ) { $0 })
        sources.append(OrderSource(sql: scope.key, type: .int8, criterion: ""))
    }

    /// The best matches first.
    private mutating func sort(byRank rank: String) {
        terms.append(
            OrderTerm(
                sql: rank, isAscending: false, isNullable: false, spelling: .plain, source: sources.count
            ) {
                $0
            })
        sources.append(OrderSource(sql: rank, type: .float4, criterion: "rank"))
    }

    /// Adds another condition that all rows must meet.
    mutating func require(_ other: String) {
        condition += condition.isEmpty ? " WHERE \(other)" : " AND \(other)"
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
    private mutating func sort<Object>(
        by key: SortKey<Object>, _ resolver: KeyPathResolver, _ ties: inout [OrderTerm]
    ) throws {
        let found = try Self.terms(of: key, resolver, scope, source: sources.count)
        terms += found.terms
        ties += found.ties
        sources.append(found.source)
    }

    /// What a sort key means in SQL.
    static func terms<Object>(
        of key: SortKey<Object>, _ resolver: KeyPathResolver, _ scope: SQLScope, source: Int = 0
    ) throws -> (terms: [OrderTerm], ties: [OrderTerm], source: OrderSource) {
        if let complaint = key.complaint { throw FetchError(.invalidRequest, complaint) }
        let path = key.keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard path != [""], case .operand(let operand) = try resolver.resolve(path[...], in: scope) else {
            throw FetchError(
                .invalidRequest,
                "A sort key names a property and cannot cross a to-many relationship: '\(key.keyPath)'.")
        }
        let criterion = "\(key.isAscending ? "+" : "-")\(key.keyPath)"
        func term(
            _ sql: String, nullable: Bool, plain: Bool = false,
            _ alike: @escaping @Sendable (String) -> String = { $0 }
        ) -> OrderTerm {
            OrderTerm(
                sql: sql, isAscending: key.isAscending, isNullable: nullable,
                spelling: plain ? .plain : .full,
                source: source, alike: alike)
        }
        switch operand {
        case .column(let column):
            let ordered = column.ordered
            let place = OrderSource(sql: column.sql, type: column.type, criterion: criterion)
            if column.isCaseInsensitive {
                let folded = column.folded(.caseInsensitive, in: resolver.folding).ordered
                let terms = folded.sortKeys.map { sql, alike in
                    term(sql, nullable: column.isNullable) { alike(folded.alike($0)) }
                }
                return (terms, [term(ordered.sql, nullable: column.isNullable)], place)
            }
            if column.sortsAsConstraint, column.isBytewise {
                return ([term(column.sql, nullable: false, plain: true)], [], place)
            }
            let terms = ordered.sortKeys.map { term($0, nullable: column.isNullable, $1) }
            return (terms, [], place)
        case .object(let sql, _, let isNullable):
            return (
                [term(sql, nullable: isNullable)], [],
                OrderSource(sql: sql, type: .int8, criterion: criterion)
            )
        default:
            throw FetchError(
                .invalidRequest,
                "'\(key.keyPath)' cannot be sorted by; name one attribute, or one element of a composite.")
        }
    }
}
