import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Two paths between the same versions leave equal stores, or the comparison says how they differ.
@Suite struct PathComparisonTests {
    private static func model(_ properties: [String]) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [entity("Person", properties.map { .attribute($0, .string) })])
    }

    private static func candidate(
        _ name: String, _ versions: [[String]], drops: Set<String> = [], script: String? = nil
    ) -> PathComparison.Candidate {
        PathComparison.Candidate(name) { schemaName in
            var listed: [MigrationPath.Version] = []
            for (number, properties) in versions.enumerated() {
                let model = try model(properties)
                listed.append(
                    MigrationPath.Version(
                        name: "\(name) \(number)", checksum: model.versionChecksum, model: model))
            }
            var handlers = StageHandlers()
            if let script = script?.replacing("SCHEMA", with: schemaName) {
                handlers.didMigrate = { connection, _ in try connection.executeScript(script) }
            }
            let stage = MigrationPath.ListedStage(
                script == nil ? .lightweight : .custom, listed, label: nil, handlers: handlers,
                confirmedDrops: drops)
            return try MigrationPath([stage])
        }
    }

    private static func differences(
        _ one: PathComparison.Candidate, _ other: PathComparison.Candidate
    ) async throws -> [String] {
        try await withTemporaryDatabase(for: try model(["name"])) { database in
            func opened(_ model: ManagedObjectModel, _ schemaName: String) async throws
                -> PersistentContainer
            {
                var options = StoreOptions()
                options.schemaName = schemaName
                return try await PersistentContainer.open(database.url, model: model, options: options)
            }
            let contents = PathComparison.Contents { model, schemaName in
                let container = try await opened(model, schemaName)
                try await container.perform { context in
                    for name in ["Ada", "Grace"] { context.insert("Person")["name"] = name }
                    try context.save()
                }
                await container.close()
            } lines: { model, schemaName in
                let container = try await opened(model, schemaName)
                let names = model["Person"]?.properties.map(\.name) ?? []
                let lines = try await container.perform { context in
                    try context.fetch(FetchRequest<ManagedObject>(entityName: "Person")).map { person in
                        names.map { person[$0] as? String ?? "nil" }.joined(separator: " ")
                    }
                }
                await container.close()
                return lines
            }
            let connect = { try Connection(ConnectionConfiguration(database.url)) }
            let found = try await PathComparison(contents, connect: connect).differences(
                between: one, and: other)
            let connection = try connect()
            defer { connection.close() }
            let left = try connection.query(
                "SELECT nspname::text FROM pg_namespace WHERE nspname LIKE 'howdah_squash%'", cached: false)
            #expect(left.rowCount == 0)
            return found
        }
    }

    private static var steps: PathComparison.Candidate {
        candidate(
            "three steps", [["name"], ["name", "born"], ["name", "born", "died"]])
    }

    @Test("Stages and one inference between the same versions leave the same store")
    func equalPaths() async throws {
        let found = try await Self.differences(
            Self.steps, Self.candidate("one step", [["name"], ["name", "born", "died"]]))
        #expect(found == [])
    }

    @Test("A difference of data or of tables is reported with the name of its path")
    func differentPaths() async throws {
        let found = try await Self.differences(
            Self.steps,
            Self.candidate(
                "a script", [["name"], ["name", "born", "died"]],
                script: "UPDATE SCHEMA.person SET born = '1815' WHERE name = 'Ada'"))
        #expect(
            found == [
                "data: only with three steps: Ada nil nil", "data: only with a script: Ada 1815 nil",
            ])
        let tables = try await Self.differences(
            Self.steps,
            Self.candidate(
                "an index", [["name"], ["name", "born", "died"]],
                script: "CREATE INDEX person_own_idx ON SCHEMA.person (born)"))
        #expect(tables.count == 1 && tables[0].hasPrefix("catalogue: "), "\(tables)")
    }

    @Test("A path that fails is an error with its name, and leaves nothing behind")
    func failingPath() async throws {
        let error = await #expect(throws: PathComparison.Failure.self) {
            _ = try await Self.differences(
                Self.steps,
                Self.candidate(
                    "a broken script", [["name"], ["name", "born", "died"]], script: "SELECT 1 / 0"))
        }
        #expect(error?.candidate == "a broken script")
    }

    @Test("A role without CREATE is told what the scratch database requires")
    func permission() async throws {
        try await withTemporaryDatabase(for: Self.model(["name"])) { database in
            let admin = try Connection(ConnectionConfiguration(database.url))
            defer { admin.close() }
            let role = "scratch_\(UInt32.random(in: 0 ... .max))"
            try admin.executeScript("CREATE ROLE \(role) LOGIN")
            defer { try? admin.executeScript("DROP ROLE \(role)") }
            let url = database.url.replacing("user=postgres", with: "user=\(role)")
            let contents = PathComparison.Contents(create: { _, _ in }, lines: { _, _ in [] })
            let path = Self.candidate("one", [["name"], ["name", "born"]])
            let comparison = PathComparison(contents) { try Connection(ConnectionConfiguration(url)) }
            let error = await #expect(throws: MigrationError.self) {
                try await comparison.differences(between: path, and: path)
            }
            #expect(error?.code == .missingGrant)
        }
    }
}
