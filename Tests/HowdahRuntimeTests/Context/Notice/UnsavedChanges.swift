import Howdah
import TestSupport

@testable import HowdahRuntime

/// A few random changes that a save accepts whatever others save meanwhile, by a context that knows more or less of the graph.
struct UnsavedChanges {
    private let context: ManagedObjectContext
    private var random: SeededGenerator
    private let departments: [Department]
    private var employees: [Employee]
    private let projects: [Project]
    /// What employees were given.
    private(set) var visits: [ObjectID<Employee>: Int] = [:]

    init(_ context: ManagedObjectContext, seed: UInt64) {
        self.context = context
        random = SeededGenerator(seed: seed)
        if Int.random(in: 0..<6, using: &random) == 0 { context.reset() }
        departments = (try? context.fetch(Department.self)) ?? []
        employees = (try? context.fetch(Employee.self)) ?? []
        projects = (try? context.fetch(Project.self)) ?? []
        for department in departments {
            switch Int.random(in: 0..<5, using: &random) {
            case 0: _ = department.employees.count
            case 1: _ = department.employees.objects
            case 2: _ = department.head
            case 3: context.refresh(department)
            default: break
            }
        }
        for project in projects where Bool.random(using: &random) { _ = project.members.objects }
    }

    mutating func run() {
        for _ in 0..<Int.random(in: 0...6, using: &random) { change() }
    }

    private mutating func change() {
        let department = departments.randomElement(using: &random)
        let project = projects.randomElement(using: &random)
        let person = employees.filter { !$0.isDeleted }.randomElement(using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            let new = Employee(context: context)
            new.firstName = "n\(random.next() % 1_000_000)"
            new.department = department
            if let project { new.projects.insert(project) }
            employees.append(new)
        case 1, 2:
            guard let person else { return }
            person.visits += Int.random(in: 1_000...9_999, using: &random)
            if !person.isInserted { visits[person.objectID] = person.visits }
        case 3, 4: person?.department = department
        case 5: if let person, let project { project.members.insert(person) }
        case 6: if let person, let project { person.projects.remove(project) }
        default:
            guard let person, person.heads == nil else { return }
            visits[person.objectID] = nil
            person.department = nil
            for project in person.projects.objects { person.projects.remove(project) }
            context.delete(person)
        }
    }
}
