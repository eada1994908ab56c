import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

@Suite struct SaveTests {
    @Test func onlyChangedColumnsAreWrittenAndOnlyTheyMoveTheVersion() async throws {
        try await withStore(Company.model()) { container, sql in
            try await container.perform { context in
                let department = Department(context: context)
                department.name = "R"
                let ada = Employee(context: context)
                ada.firstName = "Ada"
                let project = Project(context: context)
                project.title = "P"
                try context.save()
                #expect(ada.version == 1)

                container.statementLog.start()
                ada.lastName = "Byron"
                try context.save()
                let update = try #require(container.statementLog.statements.first)
                #expect(
                    container.statementLog.events.map(\.sql).filter { $0 == "BEGIN" || $0 == "COMMIT" } == [])
                #expect(update.sql.contains("\"last_name\" = $1") && !update.sql.contains("first_name"))
                #expect(try sql.value("SELECT _version::text FROM employee") == "2")

                // Links and the to-many side move no version; a foreign key is a column.
                project.members.insert(ada)
                try context.save()
                #expect(try sql.value("SELECT _version::text FROM employee") == "2")
                department.employees.insert(ada)
                try context.save()
                #expect(try sql.value("SELECT _version::text FROM employee") == "3")
                #expect(try sql.value("SELECT _version::text FROM department") == "1")
                #expect(ada.version == 3 && department.version == 1 && project.version == 1)

                // Nothing to save sends nothing, also after setting values to themselves.
                container.statementLog.start()
                try context.save()
                ada.lastName = "Byron"
                #expect(context.hasChanges)
                try context.save()
                #expect(!context.hasChanges && !ada.hasChanges)
                #expect(container.statementLog.events.isEmpty)

                context.delete(department)
                try context.save()
                #expect(ada.department == nil)
                #expect(try sql.value("SELECT _version::text FROM employee") == "4" && ada.version == 4)
                ada.lastName = nil
                try context.save()
                #expect(try sql.value("SELECT coalesce(last_name, '-') FROM employee") == "-")
            }
        }
    }

    @Test func statementsGrowWithShapesNotWithObjects() async throws {
        try await withStore(Company.model()) { container, sql in
            try await container.perform { context in
                for index in 0..<10_000 {
                    let employee = Employee(context: context)
                    employee.firstName = "\(index)"
                }
                container.statementLog.start()
                try context.save()
                #expect(container.statementLog.count == 1)
            }
            try await container.perform { context in
                let all = try context.fetch(Employee.self)
                for employee in all { employee.visits += 1 }
                container.statementLog.start()
                try context.save()
                #expect(container.statementLog.count == 10)
                for (index, employee) in all.enumerated() {
                    if index.isMultiple(of: 2) { employee.visits += 1 } else { employee.lastName = "x" }
                }
                container.statementLog.start()
                try context.save()
                // One for the locks, five for each shape.
                #expect(container.statementLog.count == 11)
            }
            #expect(try sql.value("SELECT sum(visits)::text FROM employee") == "15000")
        }
    }

    @Test func aBatchTravelsInOneRoundTrip() async throws {
        try await withStore(Company.model()) { container, _ in
            try await container.perform { context in
                for index in 0..<5 {
                    let department = Department(context: context)
                    department.name = "\(index)"
                    let employee = Employee(context: context)
                    employee.firstName = "\(index)"
                    employee.department = department
                }
                container.statementLog.start()
                try context.save()
                // Entries of one batch share a round trip.
                let events = container.statementLog.events.filter {
                    !$0.sql.hasPrefix("SELECT pg_catalog.nextval")
                }
                // Behind a pooler a look for the store goes along.
                let looks = TestPooler.mode == .transaction ? 1 : 0
                #expect(events.map(\.batchIndex) == Array(0..<14 + looks))
                #expect(events.first?.sql.hasPrefix("BEGIN") == true && events.last?.sql == "COMMIT")
            }
        }
    }

    @Test func replaceSwapAndRescueGoIntoOneSave() async throws {
        try await withStore(Company.model()) { container, sql in
            let department = { (name: String, context: ManagedObjectContext) in
                let department = Department(context: context)
                department.name = name
                return department
            }
            try await container.perform { context in
                let departments = ["replaced", "left", "right", "parent"].map { department($0, context) }
                for number in 0..<4 {
                    let room = Room(context: context)
                    room.number = Int32(number)
                    room.department = departments[number < 3 ? 3 : 0]
                }
                try context.save()

                // Delete and insert again the same unique key.
                context.delete(departments[0])
                let successor = department("replaced", context)
                // Swap two unique values.
                (departments[1].name, departments[2].name) = ("right", "left")
                // Move one child away and delete the old parent, with the other children.
                let rooms = departments[3].rooms.sorted { $0.number < $1.number }
                rooms[0].department = successor
                rooms[1].department = departments[1]
                context.delete(departments[3])
                try context.save()

                #expect(!context.hasChanges && successor.rooms.objects == [rooms[0]])
                #expect(rooms[2].managedObjectContext == nil && departments[1].rooms.objects == [rooms[1]])
                // Versions are known: the next save finds the rows.
                departments[1].budget = 1
                rooms[0].number = 10
                try context.save()
            }
            #expect(
                try sql.rows(
                    "SELECT d.name, r.number::text FROM department d LEFT JOIN room r ON r.department = d._id ORDER BY 1, 2"
                ) == [["left", nil], ["replaced", "10"], ["right", "1"]])
        }
    }

    @Test func uniqueValuesChangeHandsWithinOneSave() async throws {
        try await withStore(Company.model()) { container, sql in
            try await container.perform { context in
                let departments = ["a", "b", "c", "d"].map { name in
                    let department = Department(context: context)
                    department.name = name
                    return department
                }
                let rooms = (0..<4).map { index in
                    let room = Room(context: context)
                    room.number = Int32(index)
                    room.department = departments[index]
                    return room
                }
                let heads = (0..<4).map { index in
                    let head = Employee(context: context)
                    head.firstName = "head \(index)"
                    departments[index].head = head
                    return head
                }
                try context.save()
                // A swap, a cycle of three, required integers, and one-to-one keys.
                (departments[0].name, departments[1].name) = ("b", "a")
                try context.save()
                (departments[1].name, departments[2].name, departments[3].name) = ("c", "d", "a")
                (rooms[0].number, rooms[1].number) = (1, 0)
                try context.save()
                (departments[0].head, departments[1].head) = (heads[1], heads[0])
                try context.save()
                #expect(heads[0].heads === departments[1] && heads[1].heads === departments[0])
                // Replace by unique key.
                context.delete(departments[0])
                let successor = Department(context: context)
                successor.name = "b"
                rooms[0].department = successor
                rooms[0].number = 9
                rooms[1].number = 1
                try context.save()
                #expect(!rooms[0].isDeleted && rooms[0].department === successor)
                // A row that moves out of what is deleted takes a unique value from there.
                context.delete(successor)
                rooms[1].department = departments[1]
                rooms[0].department = departments[2]
                let spare = Room(context: context)
                spare.number = 50
                spare.department = successor
                try context.save()
                #expect(spare.managedObjectContext == nil)
            }
            #expect(try sql.rows("SELECT name FROM department ORDER BY 1").map { $0[0] } == ["a", "c", "d"])
            #expect(
                try sql.rows("SELECT number::text FROM room ORDER BY number").map { $0[0] } == [
                    "1", "2", "3", "9",
                ])
        }
    }

    @Test func aRowMovedAwayMayTakeAUniqueValueOfADeletedOne() async throws {
        try await withStore(Company.model()) { container, sql in
            try await container.perform { context in
                let (old, new) = (Department(context: context), Department(context: context))
                (old.name, new.name) = ("old", "new")
                let (kept, gone) = (Room(context: context), Room(context: context))
                (kept.number, gone.number) = (1, 2)
                (kept.department, gone.department) = (old, old)
                try context.save()
                kept.department = new
                kept.number = 2
                context.delete(old)
                try context.save()
                #expect(gone.isDeleted && kept.version == 2)
            }
            #expect(try sql.rows("SELECT number::text, _version::text FROM room") == [["2", "2"]])
        }
    }

    @Test func cyclicGraphsAreInsertedInOneSave() async throws {
        try await withStore(Company.model()) { container, sql in
            try await container.perform { context in
                for index in 0..<300 {
                    let department = Department(context: context)
                    department.name = "\(index)"
                    let head = Employee(context: context)
                    head.firstName = "\(index)"
                    head.department = department
                    department.head = head
                }
                try context.save()
            }
            #expect(
                try sql.value(
                    "SELECT count(*)::text FROM department d JOIN employee e ON d.head = e._id AND e.department = d._id"
                )
                    == "300")
        }
    }

    @Test func newAndDeletedAgainLeavesNothing() async throws {
        try await withStore(Company.model()) { container, sql in
            try await container.perform { context in
                let department = Department(context: context)
                department.name = "x"
                let room = Room(context: context)
                room.number = 1
                room.department = department
                let employee = Employee(context: context)
                employee.firstName = "kept"
                employee.department = department
                context.delete(department)
                try context.save()
                // The cascade reaches new objects too; what only lost its destination is stored.
                #expect(room.managedObjectContext == nil && employee.department == nil)
                #expect(context.registeredObjectCount == 1)
                let project = Project(context: context)
                context.delete(project)
                container.statementLog.start()
                try context.save()
                #expect(container.statementLog.events.isEmpty && !context.hasChanges)
                #expect(context.registeredObjectCount == 1)
            }
            #expect(try sql.value("SELECT count(*)::text FROM employee") == "1")
            #expect(try sql.value("SELECT count(*)::text FROM room") == "0")
        }
    }

    @Test func aRowThatLosesItsDestinationAndIsChangedIsWrittenOnce() async throws {
        try await withStore(Company.model()) { container, sql in
            let ids = try await container.perform { context in
                let department = Department(context: context)
                department.name = "x"
                let employee = Employee(context: context)
                employee.firstName = "a"
                employee.department = department
                try context.save()
                return (department.objectID, employee.objectID)
            }
            try await container.perform { context in
                let employee: Employee = try context.existingObject(with: ids.1)
                employee.firstName = "b"
                context.delete(try context.existingObject(with: ids.0))
                try context.save()
                #expect(employee.department == nil && employee.version == 2)
            }
            #expect(
                try sql.rows("SELECT first_name, department::text, _version::text FROM employee") == [
                    ["b", nil, "2"]
                ])
        }
    }

    @Test func countsAndCollectionsFollowADeletion() async throws {
        try await withStore(Company.model()) { container, _ in
            try await container.perform { context in
                let department = Department(context: context)
                department.name = "x"
                for index in 0..<3 {
                    let employee = Employee(context: context)
                    employee.firstName = "\(index)"
                    employee.department = department
                }
                try context.save()
            }
            for loads in [false, true] {
                try await container.perform { context in
                    let department = try #require(try context.fetch(Department.self).first)
                    let before = loads ? department.employees.objects.count : department.employees.count
                    let victim = try #require(try context.fetch(Employee.self).first)
                    context.delete(victim)
                    try context.save()
                    #expect(department.employees.count == before - 1)
                    #expect(department.employees.objects.count == before - 1)
                }
            }
        }
    }
}
