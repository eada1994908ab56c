import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahStages
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Stored derived values follow a migration that changes what they are derived from.
@Suite struct DerivedSourceTests {
    enum Change: CaseIterable {
        /// Attributes become required, and get their defaults.
        case required
        /// Two relationships exchange their names.
        case exchanged
        /// An attribute is renamed, and a new one takes its name.
        case replaced
    }

    @Test(arguments: Change.allCases, [true, false])
    func valuesAreThoseOfTheRows(_ change: Change, defers: Bool) async throws {
        let (old, new) = (
            try ManagedObjectModel(entities: Self.entities(nil)),
            try ManagedObjectModel(entities: Self.entities(change))
        )
        try await withTemporaryDatabase(for: old) { database in
            let before = try await PersistentContainer.open(database.url, model: old)
            try await before.perform { context in
                let owners = (0..<2).map { _ in context.insert("Owner") }
                owners[1]["name"] = "two"
                for (amount, owner) in [(nil, 0), (5, 1), (7, 1)] as [(Int32?, Int)] {
                    let member = context.insert("Member")
                    member["amount"] = amount
                    member["present"] = owners[owner]
                    member["past"] = owners[1 - owner]
                }
                try context.save()
            }
            await before.close()
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            #expect(try Self.wrongValues("present", connection) == 0)
            var options = MigrationOptions()
            options.shouldDeferLightweightMigration = defers
            let runner = StoreMigration(connection, to: new, options: options)
            _ = try runner.apply()
            let link = change == .exchanged ? "past" : "present"
            #expect(try Self.wrongValues(link, connection) == 0)
            // Each change of these has other values to derive.
            if change == .exchanged { #expect(try Self.wrongValues("present", connection) > 0) }
            let names = try connection.query("SELECT FROM member WHERE owner_name = 'new'").rowCount
            #expect(names == (change == .required ? 1 : change == .replaced ? 3 : 0))
        }
    }

    /// The number of rows whose derived values are not those that the server computes of the other rows.
    private static func wrongValues(_ link: String, _ connection: Connection) throws -> Int {
        try connection.query(
            """
            SELECT FROM owner o WHERE size <> (SELECT count(*) FROM member WHERE \(link) = o._id)
            OR total <> (SELECT COALESCE(sum(amount), 0) FROM member WHERE \(link) = o._id)
            """
        ).rowCount
            + connection.query(
                """
                SELECT FROM member m JOIN owner o ON o._id = m.present
                WHERE owner_name IS DISTINCT FROM o.name
                """
            ).rowCount
    }

    private static func entities(_ change: Change?) -> [EntityDescription] {
        let isRequired = change == .required
        let names: [PropertyDescription] =
            change == .replaced
            ? [
                .attribute("title", .string, renamingIdentifier: "name"),
                .attribute("name", .string, default: "new", renamingIdentifier: "fresh"),
            ]
            : [.attribute("name", .string, optional: !isRequired, default: isRequired ? "new" : nil)]
        let (first, second) = change == .exchanged ? ("leavers", "members") : ("members", "leavers")
        func identifier(_ name: String) -> String? { change == .exchanged ? name : nil }
        return [
            entity(
                "Owner",
                names + [
                    .relationship(
                        first, to: "Member", inverse: "present", toMany: true,
                        renamingIdentifier: identifier("members")),
                    .relationship(
                        second, to: "Member", inverse: "past", toMany: true,
                        renamingIdentifier: identifier("leavers")),
                    .attribute("size", .integer64, optional: false, derivation: "members.@count"),
                    .attribute("total", .integer64, optional: false, derivation: "members.@sum.amount"),
                ]),
            entity(
                "Member",
                [
                    .attribute(
                        "amount", .integer32, optional: !isRequired, default: isRequired ? 100 : nil),
                    .relationship("present", to: "Owner", inverse: first),
                    .relationship("past", to: "Owner", inverse: second),
                    .attribute("ownerName", .string, derivation: "present.name"),
                ]),
        ]
    }
}
