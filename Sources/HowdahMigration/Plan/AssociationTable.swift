internal import PQClient

/// The table that says, while a mapping runs, which object of the new store was made of which old one: one row for each
/// pair and entity mapping.
package enum AssociationTable {
    static let name = "_howdah_association"

    /// The quoted columns: the entity mapping's number, the keys of the old object and the new one.
    package static let (mapping, source, destination) = ("\"mapping\"", "\"source\"", "\"destination\"")

    /// The table's name, quoted and with its schema.
    package static func table(in namespace: String) -> String { SQLIdentifier.quoted(namespace, name) }

    /// Not in the write-ahead log, since it ends in the transaction that makes it.
    static func creation(in namespace: String) -> [String] {
        let table = table(in: namespace)
        return [
            """
            CREATE UNLOGGED TABLE \(table) (
                \(mapping) integer NOT NULL,
                \(source) bigint NOT NULL,
                \(destination) bigint NOT NULL,
                CONSTRAINT "_howdah_association_pkey" PRIMARY KEY (\(mapping), \(source), \(destination))
            )
            """,
            "CREATE INDEX \"_howdah_association_destination_idx\" ON \(table) (\(destination), \(mapping))",
        ]
    }
}
