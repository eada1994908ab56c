import Foundation
import Howdah
import PQClient
import Testing

@testable import HowdahRuntime

/// A store whose streams have a directory for temporary files to themselves.
struct StreamStore: Sendable {
    let company: CompanyStore
    let directory: URL

    var container: PersistentContainer { company.container }

    /// Runs `body`, and checks that no stream, file or descriptor is left afterwards.
    nonisolated(nonsending)
        static func with<T>(
            connections: Int = 4, idle: Duration? = .seconds(60), _ body: (StreamStore) async throws -> T
        ) async throws -> T
    {
        let directory = FileManager.default.temporaryDirectory.appending(path: "streams-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        var options = StoreOptions()
        options.streamIdleTimeout = idle
        options.temporaryDirectory = directory
        return try await CompanyStore.with(connections: connections, options: options) { company in
            let store = StreamStore(company: company, directory: directory)
            let result = try await body(store)
            #expect(store.running == 0)
            #expect(try store.files() == [])
            #expect(store.descriptors() == [])
            return result
        }
    }

    /// The number of streams that run.
    var running: Int { container.store.streams.count }

    /// The names of the temporary files.
    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path(percentEncoded: false))
    }

    /// The descriptors of temporary files, with a name or without.
    func descriptors() -> [Int32] {
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return open.compactMap(Int32.init).filter { descriptor in
            let link = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/\(descriptor)")
            return link?.contains(directory.lastPathComponent) == true
        }
    }

    /// Suspends until this many streams run.
    func untilRunning(_ count: Int) async throws {
        while running < count { try await Task.sleep(for: .milliseconds(1)) }
    }

    /// Checks that the streams hold nothing: other work is done at once, and no session has an open
    /// transaction.
    nonisolated(nonsending) func expectNothingHeld() async throws {
        let start = ContinuousClock.now
        _ = try await container.perform { try $0.count(Employee.self) }
        #expect(start.duration(to: .now) < .seconds(45))
        #expect(container.store.pool.status.leased == 0)
        let session = try company.session()
        defer { session.close() }
        let result = try session.query(
            """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'
            """)
        #expect(result.map { $0[0].int64 } == [0])
    }

    /// The number of employees.
    nonisolated(nonsending) func employees() async throws -> Int {
        try await container.perform { try $0.count(Employee.self) }
    }
}
