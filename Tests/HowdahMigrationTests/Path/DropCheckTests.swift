import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahStages
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// What a migration drops is asked for by its name, if the store holds values of it.
@Suite struct DropCheckTests {
    private static let old = [
        entity(
            "Order",
            [.attribute("number", .string), .attribute("total", .decimal), .attribute("note", .string)]),
        entity("Draft", [.attribute("text", .string)]),
    ]
    private static let new = [entity("Order", [.attribute("number", .string)])]

    private static func withStore(
        _ script: String,
        _ body: (TemporaryDatabase, Connection) async throws -> Void
    ) async throws {
        let model = try ManagedObjectModel(entities: old)
        try await withTemporaryDatabase(for: model) { database in
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            try connection.executeScript(script)
            try await body(database, connection)
        }
    }

    private static let row =
        "INSERT INTO \"order\" (_id, _version, number, total) VALUES (1, 1, 'a', 12.5)"

    private static func refusal(
        _ connection: Connection, to entities: [EntityDescription] = new, confirming names: Set<String> = []
    ) throws -> MigrationError? {
        var options = MigrationOptions()
        options.confirmedDrops = names
        do {
            _ = try StoreMigration(
                connection, to: try ManagedObjectModel(entities: entities), options: options
            ).apply()
            return nil
        } catch let error as MigrationError {
            return error
        }
    }

    @Test func onlyWhatHoldsValuesNeedsAWord() async throws {
        try await Self.withStore(Self.row) { _, connection in
            let error = try Self.refusal(connection)
            #expect(error?.code == .notInferable)
            #expect(error?.refusals.map(\.confirmation) == ["Order.total"])
            #expect(
                error?.message.contains(
                    "confirmedDrops = [\"Order.total\"] in code, or add to the command:\n--confirm-drop Order.total"
                )
                    == true)
            let other = try Self.refusal(connection, confirming: ["Order"])
            #expect(other?.refusals.count == 1)
            #expect(try Self.refusal(connection, confirming: ["Order.total"]) == nil)
        }
    }

    @Test func anEmptyStoreNeedsNone() async throws {
        try await Self.withStore("SELECT 1") { _, connection in
            let error = try Self.refusal(connection)
            #expect(error == nil)
        }
    }

    @Test func aPlanIsNoConfirmationAndIsShownAllTheSame() async throws {
        try await Self.withStore(Self.row) { _, connection in
            let models = try [Self.old, Self.new].map { try ManagedObjectModel(entities: $0) }
            let path = try MigrationPath(from: models[0], to: models[1])
            let runner = StoreMigration(connection, path, to: models[1])
            #expect(try runner.plan().stages.count == 1)
            #expect(try runner.refusal()?.refusals.map(\.confirmation) == ["Order.total"])
            let error = #expect(throws: MigrationError.self) { try runner.apply() }
            #expect(error?.refusals.map(\.confirmation) == ["Order.total"])
            let rehearsal = #expect(throws: MigrationError.self) {
                try StoreMigration(connection, path, to: models[1]).rehearse()
            }
            #expect(rehearsal?.refusals.map(\.confirmation) == ["Order.total"])
            #expect(
                try connection.query("SELECT total::text FROM \"order\"").map { $0[0].string() } == ["12.5"])
        }
    }

    /// A table that another program locks cannot be asked; the answer is taken as yes, in two seconds for each name.
    @Test func notKnownCountsAsYes() async throws {
        try await Self.withStore("SELECT 1") { database, connection in
            let other = try Connection(ConnectionConfiguration(database.url))
            defer { other.close() }
            try other.executeScript("BEGIN; LOCK TABLE \"draft\" IN ACCESS EXCLUSIVE MODE")
            let start = ContinuousClock.now
            let error = try Self.refusal(connection)
            #expect(error?.refusals.map(\.confirmation) == ["Draft"], "\(String(describing: error))")
            #expect(start.duration(to: .now) < .seconds(60))
            try other.executeScript("ROLLBACK")
            #expect(try Self.refusal(connection) == nil)
        }
    }

    /// Names are followed back through all stages to what is stored; what a handler wrote on the way is not known.
    @Test(arguments: [false, true]) func laterStagesAreAskedAtTheBeginning(hasHandler: Bool) async throws {
        try await Self.withStore(Self.row) { _, connection in
            let middle = [
                entity(
                    "Order",
                    [
                        .attribute("number", .string),
                        .attribute("sum", .decimal, renamingIdentifier: "total"),
                        .attribute("added", .string), .attribute("note", .string),
                    ])
            ]
            let models = try [Self.old, middle, Self.new].map { try ManagedObjectModel(entities: $0) }
            let versions = models.enumerated().map { number, model in
                MigrationPath.Version(name: "v\(number)", checksum: model.versionChecksum, model: model)
            }
            var handlers = StageHandlers()
            if hasHandler { handlers.didMigrate = { connection, _ in _ = try connection.query("SELECT 1") } }
            let path = try MigrationPath([
                .init(
                    hasHandler ? .custom : .lightweight, Array(versions[0...1]), label: "one",
                    handlers: handlers),
                .init(.lightweight, Array(versions[1...2]), label: "two"),
            ])
            var options = MigrationOptions()
            let wanted = hasHandler ? ["Order.added", "Order.note", "Order.sum"] : ["Order.sum"]
            let error = #expect(throws: MigrationError.self) {
                try StoreMigration(connection, path, to: models[2], options: options).apply()
            }
            #expect(error?.refusals.map(\.confirmation).sorted() == wanted)
            #expect(error?.message.contains("Stage 2 of 2 (two): ") == true)
            options.confirmedDrops = Set(wanted)
            let done = try StoreMigration(connection, path, to: models[2], options: options).apply()
            #expect(done.stages.count == 2)
        }
    }

    /// A program that writes between the question and the locks is noticed under the locks.
    @Test func whatIsWrittenMeanwhileIsNotDropped() async throws {
        try await Self.withStore("SELECT 1") { database, connection in
            let other = try Connection(ConnectionConfiguration(database.url))
            defer { other.close() }
            var runner = StoreMigration(connection, to: try ManagedObjectModel(entities: Self.new))
            runner.observer = { event in
                guard case .stageBegan = event else { return }
                _ = try? other.query(Self.row)
            }
            let error = #expect(throws: MigrationError.self) { try runner.apply() }
            #expect(error?.refusals.map(\.confirmation) == ["Order.total"])
            #expect(
                try connection.query("SELECT total::text FROM \"order\"").map { $0[0].string() } == ["12.5"])
        }
    }

    /// A column without values is no reason to ask what continues it.
    @Test func anEmptyColumnMayChangeItsType() async throws {
        let changed = [
            entity(
                "Order",
                [.attribute("number", .string), .attribute("total", .decimal), .attribute("note", .date)]),
            entity("Draft", [.attribute("text", .string)]),
        ]
        try await Self.withStore(Self.row) { _, connection in
            let error = try Self.refusal(connection, to: changed)
            #expect(error == nil)
        }
        try await Self.withStore(Self.row + "; UPDATE \"order\" SET note = 'x'") { _, connection in
            let error = try Self.refusal(connection, to: changed)
            #expect(error?.refusals.map(\.confirmation) == ["Order.note"])
        }
    }

    /// Also if a later stage drops it.
    @Test func whatIsWrittenBeforeALaterStageIsNotDropped() async throws {
        try await Self.withStore("SELECT 1") { database, connection in
            let other = try Connection(ConnectionConfiguration(database.url))
            defer { other.close() }
            let middle = Self.old + [entity("Added", [.attribute("text", .string)])]
            let models = try [Self.old, middle, Self.new].map { try ManagedObjectModel(entities: $0) }
            let versions = models.enumerated().map { number, model in
                MigrationPath.Version(name: "v\(number)", checksum: model.versionChecksum, model: model)
            }
            let path = try MigrationPath([.init(.lightweight, versions, label: nil)])
            var runner = StoreMigration(connection, path, to: models[2])
            runner.observer = { event in
                guard case .stageEnded = event else { return }
                _ = try? other.query(Self.row)
            }
            let error = #expect(throws: MigrationError.self) { try runner.apply() }
            #expect(error?.refusals.map(\.confirmation) == ["Order.total"], "\(error as Any)")
            #expect(
                try connection.query("SELECT total::text FROM \"order\"").map { $0[0].string() } == ["12.5"])
        }
    }

    /// A program of a sibling version takes nothing away that a migration has just brought, also if it is empty.
    @Test func openingKeepsWhatAMigrationAdded() async throws {
        try await Self.withStore("SELECT 1") { database, connection in
            var newer = Self.old + [entity("Fresh", [.attribute("text", .string)])]
            newer[0].properties.append(.attribute("extra", .string))
            _ = try StoreMigration(connection, to: ManagedObjectModel(entities: newer)).apply()
            var branch = Self.old
            branch[0].properties.append(.attribute("branch", .date))
            let model = try ManagedObjectModel(entities: branch)
            var options = StoreOptions()
            options.shouldMigrateStoreAutomatically = true
            let error = await #expect(throws: StoreError.self) {
                try await PersistentContainer.open(database.url, model: model, options: options)
            }
            for words in [
                "Fresh: ", "Order.extra: ", "older branch", "--confirm-drop Fresh --confirm-drop Order.extra",
            ] {
                #expect(error?.message.contains(words) == true, "\(words): \(error as Any)")
            }
            // The command is somebody's decision for this store.
            #expect(try StoreMigration(connection, to: model).refusal() == nil)
            options.confirmedDrops = ["Fresh", "Order.extra"]
            try await PersistentContainer.open(database.url, model: model, options: options).close()
        }
    }

    /// Who went back by the command goes forward by it, without a flag; a program that opens the store does not.
    @Test func afterTheWayBackTheCommandGoesOn() async throws {
        try await Self.withStore("SELECT 1") { database, connection in
            let (old, new) = (
                try ManagedObjectModel(entities: Self.old), try ManagedObjectModel(entities: Self.new)
            )
            _ = try StoreMigration(connection, to: new).apply()
            let refused = #expect(throws: MigrationError.self) {
                try StoreMigration(connection, to: old).apply()
            }
            #expect(refused?.code == .newerStore)
            var back = MigrationOptions()
            back.goesBack = true
            _ = try StoreMigration(connection, to: old, options: back).apply()
            var opening = StoreOptions()
            opening.shouldMigrateStoreAutomatically = true
            let error = await #expect(throws: StoreError.self) {
                try await PersistentContainer.open(database.url, model: new, options: opening)
            }
            #expect(
                error?.message.contains("run howdah migrate apply, with --back or --version if") == true,
                "\(error as Any)")
            _ = try StoreMigration(connection, to: new).apply()
        }
    }

    /// All questions together end, with an answer.
    @Test func manyLockedTablesAreSoonUnknown() async throws {
        let names = (1...5).map { "T\($0)" }
        let old = try ManagedObjectModel(
            entities: [entity("Kept", [.attribute("text", .string)])]
                + names.map { entity($0, [.attribute("text", .string)]) })
        let new = try ManagedObjectModel(entities: [entity("Kept", [.attribute("text", .string)])])
        try await withTemporaryDatabase(for: old) { database in
            let connection = try Connection(ConnectionConfiguration(database.url))
            let other = try Connection(ConnectionConfiguration(database.url))
            defer {
                connection.close()
                other.close()
            }
            try other.executeScript(
                "BEGIN; LOCK TABLE \(names.map { $0.lowercased() }.joined(separator: ", ")) IN ACCESS EXCLUSIVE MODE"
            )
            let start = ContinuousClock.now
            let refusal = try StoreMigration(connection, to: new).refusal()
            #expect(start.duration(to: .now) < .seconds(60))
            #expect(refusal?.refusals.map(\.confirmation) == names)
            #expect(
                refusal?.message.contains(
                    "T5: the migration deletes its objects. Howdah ran out of time for the query")
                    == true)
            #expect(
                refusal?.message.contains(
                    "T1: the migration deletes its objects. The query that finds these objects took too long")
                    == true)
            try other.executeScript("ROLLBACK")
            #expect(try StoreMigration(connection, to: new).refusal() == nil)
        }
    }

    /// Links are asked for where they were, also if they were those of the other end.
    @Test(arguments: [true, false]) func linksAreFollowedToTheOtherEnd(areThere: Bool) async throws {
        let first = try ManagedObjectModel(entities: [
            entity("Zed", [.relationship("items", to: "Item", toMany: true)]),
            entity("Item", [.attribute("a", .string)]),
        ])
        let second = try ManagedObjectModel(entities: [
            entity("Zed", [.relationship("items", to: "Item", inverse: "zeds", toMany: true)]),
            entity(
                "Item",
                [.attribute("a", .string), .relationship("zeds", to: "Zed", inverse: "items", toMany: true)]),
        ])
        let third = try ManagedObjectModel(entities: [
            entity("Zed"), entity("Item", [.attribute("a", .string)]),
        ])
        try await withTemporaryDatabase(for: first) { database in
            let container = try await PersistentContainer.open(database.url, model: first)
            try await container.perform { context in
                let (zed, item) = (context.insert("Zed"), context.insert("Item"))
                if areThere { zed["items"] = [item] }
                try context.save()
            }
            await container.close()
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            let versions = [first, second, third].enumerated().map { number, model in
                MigrationPath.Version(name: "v\(number)", checksum: model.versionChecksum, model: model)
            }
            let path = try MigrationPath([.init(.lightweight, versions, label: nil)])
            let refusal = try StoreMigration(connection, path, to: third).refusal()
            #expect(refusal?.refusals.map(\.confirmation) == (areThere ? ["Item.zeds"] : nil))
        }
    }
}
