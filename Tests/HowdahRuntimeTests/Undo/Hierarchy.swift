import Howdah
import Testing

/// A department with two rooms, a person who works in it and heads it, and a project of theirs.
struct Hierarchy {
    struct IDs: Sendable {
        let department: ObjectID<Department>
        let rooms: [ObjectID<Room>]
        let person: ObjectID<Employee>
        let project: ObjectID<Project>
    }

    let department: Department
    let rooms: [Room]
    let person: Employee
    let project: Project

    init(_ ids: IDs, _ context: ManagedObjectContext) throws {
        department = try context.existingObject(with: ids.department)
        rooms = try ids.rooms.map { try context.existingObject(with: $0) }
        person = try context.existingObject(with: ids.person)
        project = try context.existingObject(with: ids.project)
    }

    /// Whether all objects are there and lead to each other, from both sides.
    var isComplete: Bool {
        let objects: [ManagedObject] = [department, person, project] + rooms
        return objects.allSatisfy { !$0.isDeleted && $0.managedObjectContext != nil }
            && person.department === department && person.heads === department
            && department.head === person && department.employees.objects == [person]
            && Set(department.rooms.objects) == Set(rooms)
            && rooms.allSatisfy { $0.department === department }
            && project.members.objects == [person] && person.projects.objects == [project]
    }

    nonisolated(nonsending) static func make(
        _ store: CompanyStore, number first: Int = 1
    ) async throws -> IDs {
        try await store.container.perform { context in
            let department = Department(context: context)
            department.name = first == 1 ? "D" : "D\(first)"
            let person = Employee(context: context)
            (person.firstName, person.department, person.heads) = ("x", department, department)
            let project = Project(context: context)
            project.title = "P"
            project.members.insert(person)
            let rooms = (first...first + 1).map { number in
                let room = Room(context: context)
                (room.number, room.department) = (Int32(number), department)
                return room
            }
            try context.save()
            return IDs(
                department: department.objectID, rooms: rooms.map(\.objectID), person: person.objectID,
                project: project.objectID)
        }
    }
}
