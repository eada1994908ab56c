// expect: assign members with replace(with:), or change them with insert(_:) and remove(_:)
// expect: assign members with replace(with:), or change them with append(_:) and remove(_:)
import Howdah

@Entity final class Department: ManagedObject {
    @Relationship(inverse: "department") var employees: ToMany<Employee>
    @Relationship(inverse: "queued") var queue: OrderedToMany<Employee>
}

@Entity final class Employee: ManagedObject {
    @Relationship(inverse: "employees") var department: Department?
    @Relationship(inverse: "queue") var queued: Department?
}

func program(_ department: Department, _ a: Employee, _ b: Employee) {
    department.employees = [a, b]
    department.queue = [a, b]
    department.employees = []
}
