import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahSchema
import HowdahStages
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// What each kind of role can do with a store that another one owns; what it cannot names the missing grant.
@Suite struct RoleMatrixTests {
    enum Role: String, CaseIterable, Sendable {
        case superuser = "postgres", owner, member, bypassing = "guard"
        /// May make tables in the schema and change all rows, and is no member of the owner.
        case `operator`
        /// Reads and writes rows.
        case clerk
        case reader

        var migrates: Bool { [.superuser, .owner, .member, .bypassing].contains(self) }
    }

    private static var options: MigrationOptions {
        var options = MigrationOptions()
        options.confirmedDrops = ["Gone", "Person.nick", "Person.club"]
        return options
    }

    private static func storeOptions(migrating: Bool = false) -> StoreOptions {
        var options = StoreOptions()
        options.shouldMigrateStoreAutomatically = migrating
        options.confirmedDrops = Self.options.confirmedDrops
        return options
    }

    @Test(arguments: Role.allCases) func openingAndSaving(_ role: Role) async throws {
        try await StoreRoles.with { roles in
            let container = try await PersistentContainer.open(
                roles.url(role.rawValue), model: Register.old())
            let saving: @Sendable (ManagedObjectContext) throws -> Int = { context in
                context.insert("Club")["name"] = "new"
                try context.save()
                return try context.count(for: FetchRequest<ManagedObject>(entityName: "Person"))
            }
            if role == .reader {
                let count = try await container.perform {
                    try $0.count(for: FetchRequest<ManagedObject>(entityName: "Person"))
                }
                #expect(count == 20)
                let error = await #expect(throws: SaveError.self) { try await container.perform(saving) }
                #expect(error?.databaseError?.sqlState == "42501", "\(error as Any)")
                #expect("\(error as Any)".contains("permission denied for"), "\(error as Any)")
            } else {
                #expect(try await container.perform(saving) == 20)
            }
            await container.close()
        }
    }

    /// Without a migration, and of the whole way with one: nothing is changed where it is refused.
    @Test(arguments: Role.allCases, [false, true]) func migratingDirectly(_ role: Role, defers: Bool)
        async throws
    {
        try await StoreRoles.with { roles in
            let connection = try roles.connect(role.rawValue)
            defer { connection.close() }
            var options = Self.options
            options.shouldDeferLightweightMigration = defers
            let runner = StoreMigration(connection, to: try Register.new(), options: options)
            guard role.migrates else {
                let before = try MigrationTrial.catalogue(roles.database)
                try Self.isRefused(roles, role) { _ = try runner.apply() }
                #expect(try MigrationTrial.catalogue(roles.database).differences(from: before) == [])
                return
            }
            _ = try runner.apply()
            try DeferredWork(connection).finish()
            #expect(try roles.strangers() == [])
            #expect(try await Register.differences(roles.database) == [])
        }
    }

    @Test(arguments: Role.allCases) func finishing(_ role: Role) async throws {
        try await StoreRoles.with { roles in
            let owner = try roles.connect("owner")
            defer { owner.close() }
            var options = Self.options
            options.shouldDeferLightweightMigration = true
            _ = try StoreMigration(owner, to: try Register.new(), options: options).apply()
            let connection = try roles.connect(role.rawValue)
            defer { connection.close() }
            let runner = DeferredWork(connection)
            guard role.migrates else { return try Self.isRefused(roles, role) { try runner.finish() } }
            try runner.finish()
            #expect(try PendingWork(owner, in: "public").steps().isEmpty)
            #expect(try roles.strangers() == [])
        }
    }

    /// The tables are made anew.
    @Test(arguments: Role.allCases) func migratingByAMapping(_ role: Role) async throws {
        try await StoreRoles.with { roles in
            if [.owner, .member, .bypassing].contains(role) {
                try roles.admin.executeScript(
                    "GRANT CREATE ON DATABASE \(SQLIdentifier.quoted(roles.database.name)) TO \(roles.name(role.rawValue))"
                )
            }
            var options = Self.storeOptions()
            let (old, new) = (try Register.old(), try Register.new())
            let name = { (names: [String]) in names.map { PropertyMapping($0, .source($0)) } }
            options.stagedMigrationManager = StagedMigrationManager([
                MappedMigrationStage(
                    migratingFrom: ManagedObjectModelReference(old, versionChecksum: old.versionChecksum),
                    to: ManagedObjectModelReference(new, versionChecksum: new.versionChecksum),
                    mapping: MappingModel(entityMappings: [
                        EntityMapping(
                            from: "Person", to: "Person",
                            attributeMappings: name(["height"]) + [
                                PropertyMapping("title", .source("name")),
                                PropertyMapping(
                                    "age",
                                    try MappingExpression(
                                        format: "TERNARY($source.age == nil, 30, $source.age)")),
                            ]),
                        EntityMapping(from: "Club", to: "Club", attributeMappings: name(["name"])),
                    ]))
            ])
            let url = roles.url(role.rawValue)
            guard role.migrates else {
                let before = try MigrationTrial.catalogue(roles.database)
                let error = await #expect(throws: StoreError.self) {
                    try await PersistentContainer.open(url, model: new, options: options)
                }
                #expect(error?.message.contains("GRANT \(roles.name("owner")) TO") == true, "\(error as Any)")
                #expect(try MigrationTrial.catalogue(roles.database).differences(from: before) == [])
                return
            }
            try await PersistentContainer.open(url, model: new, options: options).close()
            #expect(try roles.strangers() == [])
            #expect(try await Register.differences(roles.database) == [])
            let clerk = try await PersistentContainer.open(roles.url("clerk"), model: new)
            try await clerk.perform { context in
                context.insert("Person")["title"] = "the clerk's"
                try context.save()
            }
            await clerk.close()
        }
    }

    @Test(arguments: Role.allCases) func verifying(_ role: Role) async throws {
        try await StoreRoles.with { roles in
            let connection = try roles.connect(role.rawValue)
            defer { connection.close() }
            func verify() throws -> [String] {
                let expected = try StoreCatalogue.expected(
                    of: Register.old(), schemaName: "public", on: connection)
                return StoreDrift(try StoreCatalogue.actual("public", on: connection), expected: expected)
                    .differences
            }
            if role == .superuser { return #expect(try verify() == []) }
            let error = #expect(throws: MigrationError.self) { try verify() }
            #expect(error?.message.contains("CREATE") == true && error?.message.contains("--scratch") == true)
            try roles.admin.executeScript(
                "GRANT CREATE ON DATABASE \(SQLIdentifier.quoted(roles.database.name)) TO \(roles.name(role.rawValue))"
            )
            #expect(try verify() == [])
        }
    }

    /// Whoever looks is told what it lacks, for itself and for a role that it asks about.
    @Test(arguments: Role.allCases) func doctoring(_ role: Role) async throws {
        try await StoreRoles.with { roles in
            let connection = try roles.connect(role.rawValue)
            defer { connection.close() }
            let findings = try StoreDiagnosis(connection, role: roles.name("reader")).findings()
            #expect(!findings.contains { $0.severity == .problem && $0.check != "grants" }, "\(findings)")
            let grants = findings.first { $0.check == "grants" && $0.severity == .problem }
            #expect(grants?.remedy?.contains("GRANT INSERT, UPDATE, DELETE ON") == true, "\(findings)")
            // The same role may read, if that is all it is for.
            let reading = try StoreDiagnosis(connection, role: roles.name("reader"), onlyReads: true)
                .findings()
            #expect(reading.contains { $0.check == "grants" && $0.severity == .ok }, "\(reading)")
            let migrating = findings.first { $0.check == "migrating" }
            #expect(migrating?.severity == (role.migrates ? .ok : .note), "\(findings)")
            if !role.migrates {
                #expect(migrating?.message.contains("GRANT \(roles.name("owner")) TO") == true, "\(findings)")
            }
            try roles.admin.executeScript(
                "ALTER TABLE person ENABLE ROW LEVEL SECURITY; ALTER TABLE person FORCE ROW LEVEL SECURITY")
            let filtered = try StoreDiagnosis(connection).findings().first { $0.check == "migrating" }
            let isBlind = role == .owner || role == .member
            #expect(
                (filtered?.message.contains("Row security hides") == true) == isBlind, "\(filtered as Any)")
            if isBlind { #expect(filtered?.severity == .warning) }
        }
    }

    private static func isRefused(_ roles: StoreRoles, _ role: Role, _ body: () throws -> Void) throws {
        let error = #expect(throws: MigrationError.self) { try body() }
        #expect(error?.code == .missingGrant, "\(error as Any)")
        let grant = "GRANT \(roles.name("owner")) TO \(roles.name(role.rawValue))"
        #expect(error?.message.contains(grant) == true, "\(error as Any)")
    }
}
