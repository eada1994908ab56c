import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// After each save the context, a fresh context and the database show the same graph, whatever was done.
@Suite struct RandomSaveTests {
    @Test(arguments: UInt64(1)...TestTier.choose(quick: 2, all: 10, nightly: 10))
    func contextAndStoreAgree(seed: UInt64) async throws {
        try await withStore(Company.model()) { container, sql in
            let handle = container.newBackgroundContext()
            var random = SeededGenerator(seed: seed)
            for step in 0..<25 {
                let next = random.next()
                // Now and then a save is undone with the transaction around it, and done again by the next one.
                let isUndone = Int.random(in: 0..<4, using: &random) == 0
                if isUndone {
                    await #expect(throws: CancellationError.self) {
                        try await handle.perform(isolation: .readCommitted) { context in
                            var changes = RandomChanges(context, seed: ~next)
                            try changes.run()
                            try context.save()
                            throw CancellationError()
                        }
                    }
                }
                let mine = try await handle.perform { context in
                    var changes = RandomChanges(context, seed: next)
                    try changes.run()
                    try context.save()
                    #expect(!context.hasChanges)
                    return try Graph.describe(context)
                }
                let fresh = try await container.perform { try Graph.describe($0) }
                #expect(mine == fresh, "seed \(seed), step \(step)")
                let versions = try Graph.tables.flatMap { table in
                    try sql.rows(
                        "SELECT '\(table)', _id::text, _version::text FROM \(table) t ORDER BY t._id")
                }
                let known = try await handle.perform { try Graph.versions($0) }
                #expect(versions.map { $0.map { $0 ?? "-" } } == known, "seed \(seed), step \(step)")
                if mine != fresh { return }
            }
        }
    }
}

/// The whole graph as text: each object with its attributes and the ids at the ends of all its relationships.
enum Graph {
    static let tables = ["department", "employee", "project", "room"]

    static func describe(_ context: ManagedObjectContext) throws -> [String] {
        func ids(_ objects: [ManagedObject]) -> String { "\(objects.map(\.key).sorted())" }
        func id(_ object: ManagedObject?) -> String { object.map { "\($0.key)" } ?? "-" }
        var lines: [String] = []
        for d in try context.fetch(Department.self) {
            let counted = d.employees.count
            lines.append(
                "d\(d.key) \(d.name) \(d.budget) \(ids(d.employees.objects)) \(counted) \(ids(d.rooms.objects)) \(id(d.head))"
            )
        }
        for e in try context.fetch(Employee.self) {
            lines.append(
                "e\(e.key) \(e.firstName) \(e.lastName ?? "-") \(e.visits) \(id(e.department)) \(ids(e.projects.objects)) \(id(e.heads))"
            )
        }
        for p in try context.fetch(Project.self) {
            lines.append("p\(p.key) \(p.title) \(ids(p.members.objects))")
        }
        for r in try context.fetch(Room.self) { lines.append("r\(r.key) \(r.number) \(id(r.department))") }
        return lines.sorted()
    }

    static func versions(_ context: ManagedObjectContext) throws -> [[String]] {
        let groups: [(String, [ManagedObject])] = [
            ("department", try context.fetch(Department.self)),
            ("employee", try context.fetch(Employee.self)),
            ("project", try context.fetch(Project.self)), ("room", try context.fetch(Room.self)),
        ]
        return groups.flatMap { table, objects in
            objects.sorted { $0.key < $1.key }.map { [table, "\($0.key)", "\($0.version)"] }
        }
    }
}

/// A few random changes that a save accepts.
struct RandomChanges {
    private let context: ManagedObjectContext
    private var random: SeededGenerator
    private var departments: [Department]
    private var employees: [Employee]
    private var projects: [Project]
    private var rooms: [Room]

    init(_ context: ManagedObjectContext, seed: UInt64) {
        self.context = context
        random = SeededGenerator(seed: seed)
        // Some runs begin with everything loaded, some with faults, some with counts only.
        if Int.random(in: 0..<4, using: &random) == 0 { context.reset() }
        departments = (try? context.fetch(Department.self)) ?? []
        employees = (try? context.fetch(Employee.self)) ?? []
        projects = (try? context.fetch(Project.self)) ?? []
        rooms = (try? context.fetch(Room.self)) ?? []
        if Bool.random(using: &random) {
            for object in employees where Bool.random(using: &random) { context.refresh(object) }
        }
        for department in departments {
            switch Int.random(in: 0..<3, using: &random) {
            case 0: _ = department.employees.count
            case 1: _ = department.employees.objects
            default: break
            }
        }
    }

    mutating func run() throws {
        for _ in 0..<Int.random(in: 1...12, using: &random) { change() }
    }

    private mutating func pick<T: ManagedObject>(_ list: [T]) -> T? {
        list.filter { !$0.isDeleted }.randomElement(using: &random)
    }

    private mutating func change() {
        let mark = "\(random.next() % 100_000_000)"
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1:
            let department = Department(context: context)
            department.name = mark
            departments.append(department)
        case 2, 3:
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                let employee = Employee(context: context)
                employee.firstName = mark
                employee.department = pick(departments)
                employees.append(employee)
            }
        case 4:
            let project = Project(context: context)
            project.title = mark
            projects.append(project)
        case 5:
            guard let department = pick(departments) else { return }
            let room = Room(context: context)
            room.number = Int32(truncatingIfNeeded: random.next() % 2_000_000_000)
            room.department = department
            rooms.append(room)
        case 6: if let employee = pick(employees) { employee.department = pick(departments) }
        case 7:
            if let department = pick(departments), let employee = pick(employees) {
                department.employees.insert(employee)
            }
        case 8: if let department = pick(departments) { department.head = pick(employees) }
        case 9: if let employee = pick(employees) { employee.heads = pick(departments) }
        case 10:
            if let project = pick(projects), let employee = pick(employees) {
                project.members.insert(employee)
            }
        case 11:
            if let project = pick(projects), let employee = pick(employees) {
                employee.projects.remove(project)
            }
        case 12:
            if let one = pick(departments), let other = pick(departments) {
                (one.name, other.name) = (other.name, one.name)
            }
            if let one = pick(rooms), let other = pick(rooms) {
                (one.number, other.number) = (other.number, one.number)
            }
        case 13:
            if let room = pick(rooms), let department = pick(departments) { room.department = department }
        case 14: if let employee = pick(employees) { employee.visits += 1; employee.lastName = mark }
        default:
            let all: [ManagedObject?] = [pick(departments), pick(employees), pick(projects), pick(rooms)]
            if let victim = all.compactMap({ $0 }).randomElement(using: &random) { context.delete(victim) }
        }
    }
}
