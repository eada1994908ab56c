import Howdah

/// The model of most tests: written by hand in the shape that a macro or a generator emits.
enum Company {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(Department.self, Employee.self, Project.self, Room.self)
    }
}
