package import HowdahModel
package import PQClient

/// A fetch as SQL: joins, condition and order, still without a select list.
package struct RenderedFetch {
    let layout: EntityLayout
    package private(set) var scope: SQLScope
    package private(set) var condition: String
    private(set) var terms: [OrderTerm] = []
    /// The sources of the terms, each once; the key is the last.
    private(set) var sources: [OrderSource] = []
    package var parameters: Parameters
    /// The values of the predicate that became parameters.
    private(set) var bindings: [PredicateRenderer.Binding] = []

    /// The expressions of ORDER BY.
    package var order: [String] { terms.map(\.text) }

    /// Resolves a request and renders it.
    ///
    /// - Throws: `PredicateTreeError`, or `FetchError.invalidRequest`, naming the part that does not fit the
    ///   model.
    package init<Object>(
        _ request: FetchRequest<Object>, layout: EntityLayout, layouts: [EntityLayout], ordered: Bool = true
    ) throws {
        try self.init(ResolvedFetch(request, layout: layout, layouts: layouts, ordered: ordered))
    }

    /// Joins the tables of key paths, and renders the condition and the order.
    ///
    /// - Throws: The errors of the other initialiser.
    init(_ fetch: ResolvedFetch) throws {
        layout = fetch.layout
        scope = try SQLScope(layout: layout, layouts: fetch.layouts, counter: SQLScope.AliasCounter())
        let resolver = KeyPathResolver(layouts: fetch.layouts)
        var renderer = PredicateRenderer(resolver: resolver, parameters: Parameters())
        var conditions: [String] = []
        if let names = fetch.family, let discriminator = layout.discriminator {
            try renderer.parameters.appendArray(of: .text, count: names.count) { cells in
                for name in names { try cells.string(name) }
            }
            conditions.append("\(scope.alias).\(discriminator) = ANY($\(renderer.parameters.count))")
        }
        if let predicate = fetch.predicate {
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
        bindings = renderer.bindings
        let found = try fetch.search.map { try SearchCondition($0, in: scope, resolver, &parameters) }
        if let found { require(found.condition) }
        guard let keys = fetch.order else { return }
        var ties: [OrderTerm] = []
        for key in keys { try sort(by: key, resolver, &ties) }
        terms += ties
        if let found, keys.isEmpty { sort(byRank: found.rank) }
        terms.append(
            OrderTerm(
                sql: scope.key, isAscending: true, isNullable: false, spelling: .bare,
                source: sources.count
            ) { $0 })
        sources.append(OrderSource(sql: scope.key, type: .int8, criterion: ""))
    }

    /// Sorts the best matches first.
    private mutating func sort(byRank rank: String) {
        terms.append(
            OrderTerm(
                sql: rank, isAscending: false, isNullable: false, spelling: .plain, source: sources.count
            ) {
                $0
            })
        sources.append(OrderSource(sql: rank, type: .float4, criterion: "rank"))
    }

    /// Adds another condition that all rows must satisfy.
    mutating func require(_ other: String) {
        condition += condition.isEmpty ? " WHERE \(other)" : " AND \(other)"
    }

    /// Turns the order round, so that the rows before a position come after it.
    mutating func reverse() { terms = terms.map(\.reversed) }

    /// - Parameter ties: The terms that decide if all keys are equal: texts that differ only in case.
    private mutating func sort(
        by key: ResolvedFetch.OrderKey, _ resolver: KeyPathResolver, _ ties: inout [OrderTerm]
    ) throws {
        let found = try Self.terms(of: key, resolver, scope, source: sources.count)
        terms += found.terms
        ties += found.ties
        sources.append(found.source)
    }

    /// Returns the SQL of a sort key.
    static func terms(
        of key: ResolvedFetch.OrderKey, _ resolver: KeyPathResolver, _ scope: SQLScope, source: Int = 0
    ) throws -> (terms: [OrderTerm], ties: [OrderTerm], source: OrderSource) {
        guard case .operand(let operand) = try resolver.resolve(key.path[...], in: scope) else {
            throw key.refusal
        }
        let criterion =
            "\(key.isAscending ? "+" : "-")\(key.keyPath)" + (key.collation.map { " \($0.locale)" } ?? "")
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
            if let collation = key.collation {
                guard column.type == .text else { throw key.localeRefusal }
                // The collation of one side is that of a comparison, also with the value of a cursor.
                let sql = "(\(column.sql) COLLATE \(collation.sql))"
                return ([term(sql, nullable: column.isNullable)], [], place)
            }
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
        case .object where key.collation != nil: throw key.localeRefusal
        case .object(let sql, _, let isNullable):
            return (
                [term(sql, nullable: isNullable)], [],
                OrderSource(sql: sql, type: .int8, criterion: criterion)
            )
        default:
            throw FetchError(
                .invalidRequest,
                "'\(key.keyPath)' is a composite or a part of JSON and cannot be a sort key. Name one attribute, or one "
                    + "element of a composite."
            )
        }
    }
}
