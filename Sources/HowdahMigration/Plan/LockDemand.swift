package import HowdahModel

/// How many locks the transaction that makes a schema's tables holds at its end.
package struct LockDemand: Hashable, Sendable {
    /// Tables, their indexes, and what PostgreSQL makes beside them for long values.
    package let count: Int

    /// What a server has where nothing was configured: 64 for each of 100 connections.
    private static let standard = 6_400
    private static let connections = 100

    /// Counts what `schema` consists of.
    package init(_ schema: StoreSchema) {
        count = schema.tables.reduce(0) { sum, table in
            let hasLongValues = table.columns.contains { $0.type.canBeLong }
            return sum + 2 + table.uniques.count + table.indexes.count + (hasLongValues ? 2 : 0)
        }
    }

    /// What to do where a server of the usual configuration has not so many; nil where it has.
    package var warning: String? {
        guard count > Self.standard else { return nil }
        // A power of two, and room for what else happens meanwhile.
        var setting = 64
        while setting * Self.connections < count + count / 4 { setting *= 2 }
        return
            "One transaction that creates all tables holds about \(count) locks, more than a server allows by default. Set "
            + "max_locks_per_transaction = \(setting) in postgresql.conf and restart the server."
    }
}

extension StoreSchema.ColumnType {
    /// Whether values may be so long that they are kept in a table beside the row.
    fileprivate var canBeLong: Bool {
        switch self {
        case .int2, .int4, .int8, .float4, .float8, .boolean, .timestamptz, .uuid: false
        default: true
        }
    }
}
