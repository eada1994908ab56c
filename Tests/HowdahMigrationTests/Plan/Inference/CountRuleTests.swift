import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahSchema
import HowdahStages
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// How many members a to-many relationship has is looked at where the new model allows fewer kinds of number.
@Suite struct CountRuleTests {
    private static func model(
        _ least: Int, _ most: Int?, manyToMany: Bool = false, optional: Bool? = nil
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            entity(
                "Shelf",
                [
                    .relationship(
                        "boxes", to: "Box", inverse: "shelf", toMany: true, optional: optional,
                        minCount: least,
                        maxCount: most)
                ]),
            entity("Box", [.relationship("shelf", to: "Shelf", inverse: "boxes", toMany: manyToMany)]),
        ])
    }

    /// A store with shelves of none, one and three boxes; their ids.
    private static func withShelves(
        manyToMany: Bool, _ body: (TemporaryDatabase, Connection, [Int64]) async throws -> Void
    ) async throws {
        let old = try model(0, nil, manyToMany: manyToMany)
        try await withTemporaryDatabase(for: old) { database in
            let container = try await PersistentContainer.open(database.url, model: old)
            let ids = try await container.perform { context in
                let shelves = [0, 1, 3].map { count in
                    let shelf = context.insert("Shelf")
                    for _ in 0..<count {
                        let box = context.insert("Box")
                        box["shelf"] = manyToMany ? [shelf] : shelf
                    }
                    return shelf
                }
                try context.save()
                return shelves.map(\.objectID.key)
            }
            await container.close()
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            try await body(database, connection, ids)
        }
    }

    /// Shelves have none, one and three boxes.
    @Test(arguments: [false, true]) func noMinimumHoldsForOptionalRelationshipsWithoutMembers(
        _ manyToMany: Bool
    )
        async throws
    {
        try await Self.withShelves(manyToMany: manyToMany) { _, connection, ids in
            let refused = #expect(throws: MigrationError.self) {
                try StoreMigration(
                    connection, to: Self.model(2, nil, manyToMany: manyToMany, optional: true)
                ).apply()
            }
            #expect(
                refused?.message.contains("no members, or at least 2 members") == true, "\(refused as Any)")
            #expect(
                refused?.message.contains("1 object (Shelf \(ids[1]))") == true, "\(refused as Any)")
            let one = try Self.model(1, nil, manyToMany: manyToMany, optional: true)
            _ = try StoreMigration(connection, to: one).apply()
            // To ask for it of all is a new rule, which the empty shelf breaks.
            let strict = try Self.model(1, nil, manyToMany: manyToMany, optional: false)
            #expect(throws: MigrationError.self) { try StoreMigration(connection, to: strict).apply() }
            // The model that libraries before made of the same declaration is no other version.
            let before = try Self.model(1, nil, manyToMany: manyToMany)
            #expect(one.hasChecksum(before.versionChecksum))
        }
    }

    @Test(arguments: [false, true]) func numbersThatAreAllowedNoLongerAreRefused(_ manyToMany: Bool)
        async throws
    {
        try await Self.withShelves(manyToMany: manyToMany) { _, connection, ids in
            for (least, most, count, wrong) in [(1, 0, 1, [0]), (0, 2, 1, [2]), (1, 2, 2, [0, 2])] {
                let new = try Self.model(least, most == 0 ? nil : most, manyToMany: manyToMany)
                let error = #expect(throws: MigrationError.self) {
                    try StoreMigration(connection, to: new).apply()
                }
                let examples = wrong.map { "Shelf \(ids[$0])" }.joined(separator: ", ")
                #expect(error?.code == .unfitData, "\(String(describing: error))")
                #expect(
                    error?.message.contains("\(count) object\(count == 1 ? "" : "s") (\(examples))") == true,
                    "\(String(describing: error))")
            }
            let wide = try Self.model(0, 3, manyToMany: manyToMany)
            _ = try StoreMigration(connection, to: wide).apply()
            #expect(
                try StoreRecord(in: "public", on: connection, for: .none)?.checksum == wide.versionChecksum)
            let free = try MigrationPlan(from: wide, to: Self.model(0, nil, manyToMany: manyToMany))
            #expect(free.steps.allSatisfy { $0.check == nil }, "\(free)")
        }
    }

    @Test func aHandlerCanPutThemRight() async throws {
        let (old, new) = (try Self.model(0, nil), try Self.model(1, nil))
        try await Self.withShelves(manyToMany: false) { database, connection, ids in
            var stage = CustomMigrationStage(
                migratingFrom: ManagedObjectModelReference(old, versionChecksum: old.versionChecksum),
                to: ManagedObjectModelReference(new, versionChecksum: new.versionChecksum))
            stage.didMigrateHandler = { context in
                for shelf in try context.fetch("Shelf", matching: .format("boxes.@count == 0")) {
                    context.insert("Box")["shelf"] = shelf
                }
                try context.save()
            }
            var options = StoreOptions()
            options.stagedMigrationManager = StagedMigrationManager([stage])
            let container = try await PersistentContainer.open(database.url, model: new, options: options)
            await container.close()
            let count = try connection.query(
                "SELECT count(*) FROM box WHERE shelf = \(ids[0])", cached: false
            ).map { $0[0].int64 }
            #expect(count == [1])
        }
    }
}
