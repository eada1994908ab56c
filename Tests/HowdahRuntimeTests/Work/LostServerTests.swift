import Foundation
import Howdah
import HowdahTesting
import LocalPostgres
import TestSupport
import Testing

@testable import HowdahRuntime

/// Whatever is called while there is no server throws what its documentation says, and the process goes on.
@Suite(.needsSession, .timeLimit(.minutes(60))) struct LostServerTests {
    /// A call of a context, and whether it saves.
    private struct Call: Sendable {
        let name: String
        let run: @Sendable (ManagedObjectContext, ObjectID<Employee>) throws -> Void

        init(
            _ name: String,
            _ run: @escaping @Sendable (ManagedObjectContext, ObjectID<Employee>) throws -> Void
        ) {
            self.name = name
            self.run = run
        }
    }

    private static let reads = [
        Call("existingObject") { _ = try $0.existingObject(with: $1) },
        Call("fetch") { context, _ in _ = try context.fetch(Employee.self) },
        Call("count") { context, _ in _ = try context.count(Employee.self) },
        Call("fetch with SQL") { context, _ in
            _ = try context.fetch(Employee.self, sql: "SELECT _id FROM employee")
        },
        Call("fetchRows") { context, _ in _ = try context.fetchRows(Int64.self, sql: "SELECT 1::bigint") },
        Call("fetchValues") { context, _ in _ = try context.fetchValues(of: \Employee.firstName) },
        Call("explain") { context, _ in _ = try context.explain(FetchRequest<Employee>()) },
        Call("obtainPermanentIDs") { context, _ in
            // More than the keys that an earlier save has left over.
            let new = (0..<10_000).map { _ in context.insert("Employee") }
            try context.obtainPermanentIDs(for: new)
        },
        Call("a fault") { context, id in _ = context.object(with: id).firstName },
        Call("a to-many relationship") { context, id in _ = context.object(with: id).projects.count },
        Call("previewDelete") { context, id in _ = try context.previewDelete(context.object(with: id)) },
        Call("refresh, keeping changes") { context, id in
            let employee = context.object(with: id)
            employee._flags.insert(.updated)
            try context.refresh(employee, mergeChanges: true)
        },
        Call("forEachBatch") { context, _ in
            try context.forEachBatch(of: FetchRequest<Employee>()) { _ in }
        },
        Call("fetchPage") { context, _ in
            var request = FetchRequest<Employee>()
            request.fetchLimit = 10
            _ = try context.fetchPage(request)
        },
        Call("fetchMembers") { context, id in
            _ = try context.fetchMembers(\Employee.projects, of: [context.object(with: id)])
        },
        Call("fetchObjectIDs") { context, _ in _ = try context.fetchObjectIDs(FetchRequest<Employee>()) },
        Call("fetchDictionaries") { context, _ in
            _ = try context.fetchDictionaries(FetchRequest<Employee>())
        },
        Call("an object by natural key") { context, _ in
            _ = try context.object(Department.self, naturalKey: "Research")
        },
        Call("a to-one relationship") { context, id in _ = context.object(with: id).department },
        Call("refreshAllObjects") { context, id in
            let employee = context.object(with: id)
            context.noteUpdate(employee)
            try context.refreshAllObjects()
            withExtendedLifetime(employee) {}
        },
        Call("importGraph") { context, _ in
            try context.importGraph(Data(#"[{"@entity":"Department","name":"New"}]"#.utf8))
        },
        Call("a child's fetch") { context, _ in
            _ = try context.newChildContext().fetch(FetchRequest<Employee>())
        },
        Call("encodeGraph") { context, id in _ = try context.encodeGraph(of: [context.object(with: id)]) },
    ]

    private static let writes = [
        Call("save") { context, _ in
            let employee = context.insert("Employee")
            employee["firstName"] = "New"
            try context.save()
        },
        Call("batch deletion") { context, _ in _ = try context.execute(BatchDeleteRequest(Employee.self)) },
    ]

    @Test func everyCallSaysSo() async throws {
        let server = try await onThread { try LocalCluster.start() }
        defer { server.stop() }
        var options = StoreOptions()
        options.connectionWait = .seconds(1)
        let container = try await PersistentContainer.open(
            server.url(database: "postgres"), model: try Company.model(), options: options)
        let id = try await container.perform { context in
            let employee = Employee(context: context)
            employee.firstName = "Ada"
            try context.save()
            return employee.objectID
        }
        server.stop()
        for call in Self.reads {
            await #expect(throws: FetchError.self, "\(call.name) in the body") {
                try await container.perform { context in
                    do { try call.run(context, id) } catch let error as PostgresError {
                        Issue.record("\(call.name) threw \(error)")
                        throw error
                    }
                }
            }
            // With a policy, the error is looked at for whether it is worth another run.
            let error = await #expect(throws: FetchError.self, "\(call.name), retried") {
                try await container.perform(retrying: .conflicts(upTo: 3)) { try call.run($0, id) }
            }
            #expect(error?.code == .database, "\(call.name)")
            #expect(error?.databaseError?.mayHaveCommitted != true, "\(call.name)")
            #expect(!"\(error.map { "\($0)" } ?? "")".contains("maximumConnections"), "\(call.name)")
        }
        for call in Self.writes {
            await #expect(throws: SaveError.self, "\(call.name)") {
                try await container.perform(retrying: .conflicts(upTo: 3)) { try call.run($0, id) }
            }
        }
        for (name, call) in Self.calls(of: container) {
            let error = await #expect(throws: (any Error).self, "\(name)") { try await call() }
            #expect(error is FetchError || error is SaveError, "\(name): \(String(reflecting: error))")
        }
        await #expect(throws: StoreError.self) {
            _ = try await PersistentContainer.open(
                server.url(database: "postgres"), model: try Company.model(), options: options)
        }
        await container.close(drainingFor: .seconds(1))
    }

    /// What a container does by itself.
    private static func calls(
        of container: PersistentContainer
    ) -> [(String, @Sendable () async throws -> Void)] {
        let handle = container.newBackgroundContext()
        let row: [String: (any Sendable)?] = ["name": "New"]
        return [
            ("insertion of rows", { try await container.insert(into: Department.self, from: [row]) }),
            (
                "insertion of a sequence",
                { try await container.insert(into: Department.self, from: [["name": "New"]][...]) }
            ),
            (
                "insertion of a stream",
                {
                    let rows = AsyncStream<[String: String]> { stream in
                        stream.yield(["name": "New"])
                        stream.finish()
                    }
                    try await container.insert(into: Department.self, from: rows)
                }
            ),
            ("exportGraph", { try await container.exportGraph { _ in } }),
            (
                "importGraph",
                {
                    let lines = Shared<[Data]>([Data(#"{"@entity":"Department","name":"New"}"#.utf8)])
                    try await container.importGraph { lines.withLock { $0.popLast() } }
                }
            ),
            (
                "batches",
                { for try await _ in container.batches(of: FetchRequest<Employee>(), { $0.visits }) {} }
            ),
            ("perform of a handle", { try await handle.perform { _ = try $0.count(Employee.self) } }),
            ("performAndWait", { try handle.performAndWait { _ = try $0.count(Employee.self) } }),
            (
                "a child's perform",
                { try await handle.newChildContext().perform { _ = try $0.count(Employee.self) } }
            ),
            ("wasStored", { _ = try await container.wasStored(UUID()) }),
        ]
    }

    /// No connection is there, and the server takes no new one: that is neither a full pool nor another error than the
    /// deadline's.
    @Test func aPassedDeadlineIsADeadline() async throws {
        let server = try await onThread { try LocalCluster.start() }
        defer { server.stop() }
        var options = StoreOptions()
        options.connectionWait = .seconds(8)
        // An attempt outlasts both questions.
        let container = try await PersistentContainer.open(
            server.url(database: "postgres") + "&connect_timeout=300", model: try Company.model(),
            options: options)
        let store = CompanyStore(container: container, url: server.url(database: "postgres"))
        let session = try store.session()
        let listener = try #require(ServerProcesses.parent(of: session.backendProcessID))
        session.close()
        try store.terminateSessions()
        kill(listener, SIGSTOP)
        defer { kill(listener, SIGCONT) }
        let late = await #expect(throws: FetchError.self) {
            try await container.perform(timeout: .seconds(3)) { _ = try $0.count(Employee.self) }
        }
        let absent = await #expect(throws: FetchError.self) {
            try await container.perform { _ = try $0.count(Employee.self) }
        }
        kill(listener, SIGCONT)
        #expect(late?.code == .deadlineExceeded, "\(String(describing: late))")
        #expect(absent?.code == .database && absent?.databaseError?.code == .connectionFailed)
        #expect(
            "\(absent.map { "\($0)" } ?? "")".contains("Check that it runs"), "\(String(describing: absent))")
        await container.close(drainingFor: .seconds(5))
    }
}
