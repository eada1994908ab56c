import HowdahModel
import PQClient

/// The SQL of a fetch of values and the columns of its rows; a value that you can print and test without a
/// server.
struct ValueStatement {
    let sql: String
    let parameters: Parameters
    let columns: [ValueColumn]

    init<Object>(
        _ request: FetchRequest<Object>, layout: EntityLayout, layouts: [EntityLayout]
    ) throws {
        let wanted = request.propertiesToFetch.isEmpty ? Self.all(layout) : request.propertiesToFetch
        let isGrouped = !request.propertiesToGroupBy.isEmpty || wanted.contains { $0.aggregate != nil }
        let isMerged = isGrouped || request.returnsDistinctResults
        let fetch = try RenderedFetch(request, layout: layout, layouts: layouts, ordered: !isMerged)
        let resolver = KeyPathResolver(layouts: layouts)
        let columns = try wanted.map { try ValueColumn($0, in: fetch.scope, resolver) }
        let groups = try request.propertiesToGroupBy.map { try ValueColumn($0, in: fetch.scope, resolver) }
        try Self.check(columns, groups, isGrouped: isGrouped, having: request.havingPredicate)

        let keys = isGrouped ? groups : request.returnsDistinctResults ? columns : []
        var renderer = PredicateRenderer(resolver: resolver, parameters: fetch.parameters)
        var tail = fetch.condition
        let grouping = keys.flatMap(\.grouped).uniqued
        if !grouping.isEmpty { tail += " GROUP BY " + grouping.joined(separator: ", ") }
        if let having = request.havingPredicate {
            if let error = having.error { throw error }
            let condition = GroupCondition(columns: columns + groups)
            tail += " HAVING " + (try condition.sql(having.root, &renderer))
        }
        // Groups may be equal in all that is fetched of them.
        let isDistinct =
            request.returnsDistinctResults && isGrouped
            && !groups.allSatisfy { group in columns.contains { $0.path == group.path && !$0.isAggregate } }
        let order =
            try isMerged
            ? Self.order(request, columns, keys, fetch.scope, resolver, isDistinct: isDistinct) : fetch.order
        // The joins of everything above are part of it.
        var sql = "SELECT \(isDistinct ? "DISTINCT " : "")"
        sql += columns.flatMap(\.selected).joined(separator: ", ") + fetch.scope.from + tail
        if !order.isEmpty { sql += " ORDER BY " + order.joined(separator: ", ") }
        var parameters = renderer.parameters
        for (word, number) in [("LIMIT", request.fetchLimit), ("OFFSET", request.fetchOffset)]
        where number > 0 {
            parameters.append(Int64(number))
            sql += " \(word) $\(parameters.count)"
        }
        self.sql = sql + request.comment
        self.parameters = parameters
        self.columns = columns
    }

    /// Returns all stored attributes.
    private static func all<Object>(_ layout: EntityLayout) -> [ResultColumn<Object>] {
        layout.slots.compactMap { slot in
            guard case .attribute = slot.kind, !slot.columns.isEmpty else { return nil }
            return .property(slot.name)
        }
    }

    private static func check(
        _ columns: [ValueColumn], _ groups: [ValueColumn], isGrouped: Bool, having: PredicateTree?
    ) throws {
        var names: Set<String> = []
        for column in columns where !names.insert(column.name).inserted {
            throw FetchError(
                .invalidRequest, "Two values are fetched as '\(column.name)'. Give one of them another name.")
        }
        if let group = groups.first(where: \.isAggregate) {
            throw FetchError(
                .invalidRequest,
                "'\(group.name)' in propertiesToGroupBy is an aggregate. Group by properties only.")
        }
        guard isGrouped else {
            if having == nil { return }
            throw FetchError(
                .invalidRequest,
                "The request has a havingPredicate without groups. Set propertiesToGroupBy, or fetch an aggregate."
            )
        }
        for column in columns where !column.isAggregate && !groups.contains(where: { $0.path == column.path })
        {
            throw FetchError(
                .invalidRequest,
                "'\(column.path)' has different values in one group. Add it to propertiesToGroupBy, or fetch an "
                    + "aggregate of it."
            )
        }
    }

    /// Returns the order of groups. They have no ids to decide between equal sort keys, so all fetched values
    /// do.
    private static func order<Object>(
        _ request: FetchRequest<Object>, _ columns: [ValueColumn], _ keys: [ValueColumn], _ scope: SQLScope,
        _ resolver: KeyPathResolver, isDistinct: Bool
    ) throws -> [String] {
        var order: [String] = []
        for key in request.sortDescriptors {
            let direction = key.isAscending ? "ASC NULLS FIRST" : "DESC NULLS LAST"
            if key.locale != nil,
                isDistinct || columns.contains(where: { $0.name == key.keyPath && $0.isAggregate })
            {
                throw FetchError(
                    .invalidRequest,
                    "'\(key.keyPath)' cannot be sorted by a locale, because it is an aggregate, or the request "
                        + "groups and returns distinct results. Remove the locale from the sort key.")
            }
            if let place = columns.firstIndex(where: { $0.name == key.keyPath && $0.isAggregate }) {
                order.append("\(Self.ordinal(of: place, in: columns)) \(direction)")
            } else if isDistinct, let place = columns.firstIndex(where: { $0.path == key.keyPath }) {
                order.append("\(Self.ordinal(of: place, in: columns)) \(direction)")
            } else {
                guard !isDistinct, keys.contains(where: { $0.path == key.keyPath }) else {
                    throw FetchError(
                        .invalidRequest,
                        "'\(key.keyPath)' cannot be a sort key of grouped or distinct rows. Sort by a property by "
                            + "which they are grouped, or by the name of an aggregate.")
                }
                let found = try RenderedFetch.terms(of: .init(key), resolver, scope)
                order += (found.terms + found.ties).map(\.text)
            }
        }
        if keys.isEmpty, !isDistinct { return order }
        return order + (1...max(1, columns.flatMap(\.selected).count)).map(String.init)
    }

    private static func ordinal(of place: Int, in columns: [ValueColumn]) -> Int {
        columns[..<place].reduce(1) { $0 + $1.selected.count }
    }
}

extension ValueStatement: CustomStringConvertible {
    var description: String { sql }
}

extension [String] {
    fileprivate var uniqued: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
