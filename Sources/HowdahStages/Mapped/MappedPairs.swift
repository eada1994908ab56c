import HowdahMigration
import PQClient

/// The pairs of source and destination objects of a mapping, in a table.
///
/// Statements join the table, and work on objects reads and writes it. Only this type knows its columns.
struct MappedPairs: Sendable {
    /// The quoted name of the table.
    let table: String
    /// The columns of a pair in ``item(_:)``.
    static let (source, destination) = (AssociationTable.source, AssociationTable.destination)
    private static let mapping = AssociationTable.mapping

    // MARK: - Statements

    /// Returns the pairs of some entity mappings, as a FROM item.
    func item(_ entries: [MappingLayouts.Entry]) -> String {
        let numbers = entries.map { "\($0.index)" }.joined(separator: ", ")
        return "(SELECT \(Self.source), \(Self.destination) FROM \(table) "
            + "WHERE \(Self.mapping) IN (\(numbers)))"
    }

    /// Returns the table as `a` joined with rows, for the pairs of one entity mapping.
    ///
    /// - Parameter key: The key of the rows that are the sources.
    func joined(_ rows: String, _ key: String, _ entry: MappingLayouts.Entry) -> String {
        "\(table) AS a JOIN \(rows) ON \(key) = a.\(Self.source) WHERE a.\(Self.mapping) = \(entry.index)"
    }

    /// Returns the statement that adds pairs of keys.
    func insertion(_ entry: MappingLayouts.Entry, source: String, destination: String, from rows: String)
        -> String
    {
        "INSERT INTO \(table) (\(Self.mapping), \(Self.source), \(Self.destination)) "
            + "SELECT \(entry.index), \(source), \(destination) FROM \(rows)"
    }

    /// Returns the condition that a key is the destination of a pair.
    func isTaken(_ key: String) -> String {
        "EXISTS (SELECT FROM \(table) AS a WHERE a.\(Self.destination) = \(key))"
    }

    // MARK: - Objects

    /// Returns the pairs of an entity mapping with some sources or destinations, in the order of their keys.
    func all(
        of entry: MappingLayouts.Entry, sources: [Int64]? = nil, destinations: [Int64]? = nil,
        on connection: Connection
    ) throws -> [(source: Int64, destination: Int64)] {
        var parameters = Parameters()
        var conditions = ["\(Self.mapping) = \(entry.index)"]
        for (column, keys) in [(Self.source, sources), (Self.destination, destinations)] {
            guard let keys else { continue }
            parameters.append(keys)
            conditions.append("\(column) = ANY($\(parameters.count))")
        }
        return try connection.query(
            "SELECT \(Self.source), \(Self.destination) FROM \(table) "
                + "WHERE \(conditions.joined(separator: " AND ")) ORDER BY 1, 2", parameters
        ).map { ($0[0].int64, $0[1].int64) }
    }

    /// Returns the next destinations of an entity mapping after a key, in their order.
    func destinations(of entry: MappingLayouts.Entry, after key: Int64, limit: Int, on connection: Connection)
        throws -> [Int64]
    {
        var parameters = Parameters()
        parameters.append(key)
        return try connection.query(
            "SELECT DISTINCT \(Self.destination) FROM \(table) WHERE \(Self.mapping) = \(entry.index) "
                + "AND \(Self.destination) > $1 ORDER BY 1 LIMIT \(limit)", parameters
        ).map { $0[0].int64 }
    }

    /// Returns those of the keys that are destinations.
    func taken(_ keys: [Int64], on connection: Connection) throws -> Set<Int64> {
        var parameters = Parameters()
        parameters.append(keys)
        return Set(
            try connection.query(
                "SELECT \(Self.destination) FROM \(table) WHERE \(Self.destination) = ANY($1)", parameters
            ).map { $0[0].int64 })
    }

    /// Adds pairs of several entity mappings, unless they are there.
    func add(_ pairs: [(mapping: Int, source: Int64, destination: Int64)], on connection: Connection) throws {
        var parameters = Parameters()
        parameters.append(pairs.map { Int64($0.mapping) })
        parameters.append(pairs.map(\.source))
        parameters.append(pairs.map(\.destination))
        _ = try connection.query(
            "INSERT INTO \(table) SELECT n.m::pg_catalog.int4, n.s, n.d "
                + "FROM unnest($1, $2, $3) AS n(m, s, d) ON CONFLICT DO NOTHING", parameters)
    }
}
