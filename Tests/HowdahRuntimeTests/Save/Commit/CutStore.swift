import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// A store behind a ``CuttingProxy``, with two employees in it.
struct CutStore: Sendable {
    let container: PersistentContainer
    let proxy: CuttingProxy
    let sql: KeptSQL

    nonisolated(nonsending)
        static func with(
            tokens: Bool, _ change: (inout StoreOptions) -> Void = { _ in },
            _ body: (CutStore) async throws -> Void
        ) async throws
    {
        let model = try Company.model()
        var options = StoreOptions()
        options.maximumConnections = 1
        options.resolvesLostCommits = tokens
        change(&options)
        try await withTestDatabase(for: model) { database in
            let proxy = try CuttingProxy(database.url)
            defer { proxy.stop() }
            let container = try await PersistentContainer.open(
                proxy.conninfo, model: model, options: options)
            try await container.perform { context in
                for name in ["A", "B"] { Employee(context: context).firstName = name }
                try context.save()
            }
            let sql = try KeptSQL(database.url)
            defer { sql.close() }
            do {
                try await body(CutStore(container: container, proxy: proxy, sql: sql))
                await container.close(drainingFor: .seconds(5))
            } catch {
                await container.close(drainingFor: .seconds(5))
                throw error
            }
        }
    }

    /// How many employees have this number, how many projects, and how many rooms.
    func stored(_ number: Int) throws -> [String?] {
        try sql.rows(
            """
            SELECT (SELECT count(*) FROM employee WHERE visits = \(number))::text,
                (SELECT count(*) FROM project WHERE title = '\(number)')::text,
                (SELECT count(*) FROM room WHERE number = \(number))::text
            """)[0]
    }

    /// The server's processes for the container's sessions.
    func sessions() throws -> Set<String> {
        Set(
            try sql.rows(
                """
                SELECT pid::text FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
                """
            ).compactMap { $0[0] })
    }

    /// Waits until sessions are gone, and with them what they had read and not yet run.
    func untilGone(_ sessions: Set<String>) async throws {
        while try !self.sessions().isDisjoint(with: sessions) { try await Task.sleep(for: .milliseconds(2)) }
    }

    /// Waits until only the container's own session is left.
    func untilAlone() async throws {
        while try sessions().count > 1 { try await Task.sleep(for: .milliseconds(2)) }
    }
}

/// A kind of save, by the way it travels.
enum CutWork: CaseIterable {
    /// One row, guarded: one statement.
    case single
    /// Two shapes, an insert and a link: several round trips, COMMIT in one of its own.
    case shapes
    /// New rows only: one round trip with COMMIT in it.
    case inserts
    /// Enough new rows for COPY.
    case copy
    /// Two saves in a larger transaction.
    case outer
    /// An update, and a deletion that reaches other rows: locks and delete rules come first.
    case delete

    /// What ``CutStore/stored(_:)`` says afterwards.
    var wanted: [String?] {
        switch self {
        case .single, .delete: ["1", "0", "0"]
        case .shapes: ["2", "1", "0"]
        case .inserts: ["2", "0", "0"]
        case .copy: ["150", "0", "0"]
        case .outer: ["1", "1", "0"]
        }
    }

    /// What it says before, and where nothing was stored.
    var nothing: [String?] { self == .delete ? ["0", "0", "1"] : ["0", "0", "0"] }

    /// Makes the changes, and stores before what they delete.
    func prepare(_ number: Int, in context: ManagedObjectContext) throws {
        if self == .delete {
            let department = Department(context: context)
            department.name = "\(number)"
            let room = Room(context: context)
            (room.number, room.department) = (Int32(number), department)
            try context.save()
        }
        try change(number, in: context)
    }

    /// Makes the changes where they are not made yet, and saves them.
    func run(_ number: Int, in context: ManagedObjectContext) throws {
        if !context.hasChanges { try change(number, in: context) }
        let isComplete = self != .outer || context.insertedObjects.contains { $0 is Project }
        try context.save()
        if isComplete { return }
        let project = Project(context: context)
        project.title = "\(number)"
        try context.save()
    }

    private func change(_ number: Int, in context: ManagedObjectContext) throws {
        let people = try ["A", "B"].map { name in
            try #require(try context.fetch(Employee.self).first { $0.firstName == name })
        }
        switch self {
        case .single, .outer: people[0].visits = number
        case .delete:
            people[0].visits = number
            for department in try context.fetch(Department.self) { context.delete(department) }
        case .shapes:
            for person in people { person.visits = number }
            people[1].lastName = "\(number)"
            let project = Project(context: context)
            project.title = "\(number)"
            project.members.insert(people[0])
        case .inserts, .copy:
            for _ in 0..<(self == .copy ? 150 : 2) {
                let employee = Employee(context: context)
                employee.firstName = "new"
                employee.visits = number
            }
        }
    }
}
