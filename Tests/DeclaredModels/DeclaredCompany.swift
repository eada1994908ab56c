// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation
public import Howdah

/// The same model as the hand-written company of the runtime's tests.
public enum DeclaredCompany {
    public static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(Department.self, Employee.self, Project.self, Room.self)
    }
}

@Composite public struct Location {
    public var latitude: Double
    public var longitude: Double

    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

@Entity public final class Department: ManagedObject {
    @Attribute(.unique) public var name: String
    public var budget: Decimal = 0
    @Relationship(inverse: "department") public var employees: ToMany<Employee>
    @Relationship(deleteRule: .cascade, inverse: "department") public var rooms: ToMany<Room>
    @Relationship(inverse: "heads") public var head: Employee?
}

@Entity public final class Employee: ManagedObject {
    public var firstName: String
    public var lastName: String?
    public var salary: Decimal = 0
    public var hiredAt: Date?
    public var visits: Int = 0
    public var location: Location?
    @Relationship(inverse: "employees") public var department: Department?
    @Relationship(inverse: "members") public var projects: ToMany<Project>
    @Relationship(inverse: "head") public var heads: Department?
}

@Entity public final class Project: ManagedObject {
    public var title: String
    @Relationship(inverse: "projects") public var members: ToMany<Employee>
}

@Entity public final class Room: ManagedObject {
    @Attribute(.unique) public var number: Int32
    @Relationship(.required, inverse: "rooms") public var department: Department?
}
