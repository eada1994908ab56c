import Foundation
import Howdah

extension Company {
    /// Departments d000 and so on with as many employees each (e000 …, in turn), and one project for every fourth
    /// employee together with the one two places further.
    static func fill(_ container: PersistentContainer, departments: Int, employees: Int) async throws {
        try await container.perform { context in
            let all = (0..<departments).map { number in
                let department = Department(context: context)
                department.name = String(format: "d%05d", number)
                return department
            }
            let staff = (0..<employees).map { number in
                let employee = Employee(context: context)
                employee.firstName = String(format: "e%03d", number)
                employee.department = all[number % departments]
                return employee
            }
            for number in stride(from: 0, to: employees, by: 4) {
                let project = Project(context: context)
                project.title = "p\(number)"
                project.members.insert(staff[number])
                if number + 2 < employees { project.members.insert(staff[number + 2]) }
            }
            try context.save()
        }
    }
}
