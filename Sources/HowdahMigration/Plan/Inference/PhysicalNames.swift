internal import HowdahModel
internal import PQClient

/// What the tables and columns of the old store are called once the renames are done, and before what ends is dropped.
struct PhysicalNames {
    private let namespace: String
    var tables: [String: String] = [:]
    var columns: [String: [String: String]] = [:]
    private var asides = 0

    init(_ schema: StoreSchema) { namespace = schema.schemaName }

    /// The table, quoted and with its schema.
    func table(_ old: String) -> String { SQLIdentifier.quoted(namespace, tables[old] ?? old) }

    /// The column, quoted, and behind an alias where one is given.
    func column(_ name: String, of table: String, alias: String? = nil) -> String {
        let column = SQLIdentifier.quoted(columns[table]?[name] ?? name)
        return alias.map { "\($0).\(column)" } ?? column
    }

    /// A name that no model can use, for a constraint that is needed for a while.
    mutating func temporary() -> String {
        asides += 1
        return "_howdah_required_\(asides)"
    }

    private static let prefix = "_howdah_old_"

    /// Whether it is a name of ``aside()``.
    static func isAside(_ name: some StringProtocol) -> Bool { name.hasPrefix(prefix) }

    /// A name that no model can use.
    mutating func aside() -> String {
        asides += 1
        return "\(Self.prefix)\(asides)"
    }
}
