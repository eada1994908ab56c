import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Counts, sums and copies over relationships: computed by the save for all rows that it concerns.
@Suite struct AggregateTests {
    private static func employee(
        _ context: ManagedObjectContext, _ salary: Int, in department: ManagedObject?
    ) -> ManagedObject {
        let employee = context.insert("Employee")
        employee["name"] = "E"
        employee["salary"] = Decimal(salary)
        employee["department"] = department
        return employee
    }

    private static func department(_ context: ManagedObjectContext, _ name: String) -> ManagedObject {
        let department = context.insert("Department")
        department["name"] = name
        return department
    }

    private static func figures(_ department: ManagedObject) -> String {
        "\(department["headcount"] ?? "-") \(department["payroll"] ?? "-")"
    }

    @Test func membersComeGoMoveAndChange() async throws {
        try await withStore(DerivedModel.model()) { container, sql in
            try await container.perform { context in
                let (one, two) = (Self.department(context, "1"), Self.department(context, "2"))
                let ada = Self.employee(context, 10, in: one)
                let bea = Self.employee(context, 20, in: one)
                try context.save()
                #expect(Self.figures(one) == "2 30" && Self.figures(two) == "0 0")
                #expect(one.version == 1)

                ada["department"] = two
                try context.save()
                #expect(Self.figures(one) == "1 20" && Self.figures(two) == "1 10")

                bea["salary"] = Decimal(25)
                try context.save()
                #expect(Self.figures(one) == "1 25")

                bea["salary"] = nil
                context.delete(ada)
                try context.save()
                #expect(Self.figures(one) == "1 0" && Self.figures(two) == "0 0")

                // What others compute is no change of the object: its version stays, and nobody meets a conflict.
                #expect(one.version == 1 && two.version == 1 && !one.hasChanges)
                #expect(try sql.rows("SELECT DISTINCT _version::text FROM department") == [["1"]])
                one["budget"] = 1
                try context.save()
                #expect(one.version == 2)
                #expect(try DerivedModel.wrongRows(sql) == [])
                #expect(try DerivedModel.wrongObjects(context) == [])
            }
        }
    }

    @Test func batchDeletionsComputeThemInTheSameTransaction() async throws {
        struct Stop: Error {}
        try await withStore(DerivedModel.model()) { container, sql in
            try await container.perform { context in
                let firm = context.insert("Firm")
                firm["name"] = "F"
                let departments = (0..<3).map { Self.department(context, "\($0)") }
                for department in departments { department["firm"] = firm }
                let skill = context.insert("Skill")
                skill["weight"] = 3
                for index in 0..<9 {
                    let employee = Self.employee(context, index, in: departments[index % 3])
                    skill.members(forKey: "holders").insert(employee)
                }
                try context.save()
            }
            await #expect(throws: Stop.self) {
                try await container.perform(isolation: .readCommitted) { context in
                    _ = try context.execute(BatchDeleteRequest<ManagedObject>(.init(entityName: "Employee")))
                    throw Stop()
                }
            }
            #expect(try sql.value("SELECT sum(headcount)::text FROM department") == "9")
            try await container.perform { context in
                var request = FetchRequest<ManagedObject>(entityName: "Employee")
                request.predicate = .format("salary >= 4")
                let result = try context.execute(BatchDeleteRequest(request, result: .objectIDs))
                #expect(result.count == 5 && result.objectIDs.count == 5)
            }
            #expect(try DerivedModel.wrongRows(sql) == [])
            #expect(try sql.value("SELECT sum(headcount)::text FROM department") == "4")
            #expect(try sql.value("SELECT sum(payroll)::text FROM department") == "6")
            // The rule takes departments along, and clears what their employees copied.
            try await container.perform { context in
                _ = try context.execute(BatchDeleteRequest<ManagedObject>(.init(entityName: "Skill")))
                _ = try context.execute(BatchDeleteRequest<ManagedObject>(.init(entityName: "Firm")))
            }
            #expect(try DerivedModel.wrongRows(sql) == [])
            #expect(try sql.value("SELECT count(firm_name)::text FROM employee") == "0")
            #expect(try sql.value("SELECT sum(skill_weight)::text FROM employee") == "0")
        }
    }

    @Test func aDeadlockOfRenamesAndMovesIsTriedAgain() async throws {
        try await withStore(DerivedModel.model()) { container, sql in
            let (departments, employees) = try await container.perform { context in
                let firm = context.insert("Firm")
                firm["name"] = "F"
                let departments = (0..<4).map { Self.department(context, "\($0)") }
                for department in departments { department["firm"] = firm }
                let employees = (0..<24).map { Self.employee(context, 1, in: departments[$0 % 4]) }
                try context.save()
                return (departments.map(\.objectID), employees.map(\.objectID))
            }
            // One gives all firms of departments other names, the other gives departments other employees.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<2 {
                    group.addTask {
                        for round in 0..<12 {
                            try await container.perform(retrying: .conflicts(upTo: 20)) { context in
                                if worker == 0 {
                                    let firm = try #require(try context.fetch("Firm").first)
                                    firm["name"] = "F\(round)"
                                } else {
                                    for (index, id) in employees.enumerated() where index % 3 == round % 3 {
                                        try context.existingObject(with: id)["department"] =
                                            try context.existingObject(with: departments[(index + round) % 4])
                                    }
                                    Self.employee(
                                        context, round,
                                        in: try context.existingObject(with: departments[round % 4]))[
                                            "name"] = "N"
                                }
                                try context.save()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try DerivedModel.wrongRows(sql) == [])
            #expect(try sql.value("SELECT string_agg(DISTINCT firm_name, ',') FROM employee") == "F11")
        }
    }

    @Test func deletionsThatReachWhatIsNotLoadedCount() async throws {
        try await withStore(DerivedModel.model()) { container, sql in
            let (firm, employees) = try await container.perform { context in
                let firm = context.insert("Firm")
                firm["name"] = "F"
                let departments = (0..<3).map { Self.department(context, "\($0)") }
                for department in departments { department["firm"] = firm }
                let employees = (0..<6).map { Self.employee(context, $0, in: departments[$0 % 3]) }
                let skill = context.insert("Skill")
                skill["weight"] = 3
                for employee in employees { skill.members(forKey: "holders").insert(employee) }
                try context.save()
                #expect(firm["departmentCount"] as? Int64 == 3)
                #expect(
                    employees.allSatisfy {
                        $0["firmName"] as? String == "F" && $0["skillWeight"] as? Int64 == 3
                    })
                return (firm.objectID, employees.map(\.objectID))
            }
            #expect(try DerivedModel.wrongRows(sql) == [])
            // A fault that was never read goes, then a department by way of SQL nobody loaded, then all of the firm.
            try await container.perform { context in
                context.delete(context.object(with: employees[0]))
                try context.save()
            }
            #expect(
                try sql.rows("SELECT headcount::text FROM department ORDER BY _id") == [["1"], ["2"], ["2"]])
            #expect(try sql.value("SELECT holder_count::text FROM skill") == "5")
            try await container.perform { context in
                context.delete(context.object(with: firm))
                try context.save()
                #expect(context.object(with: employees[1])["firmName"] == nil)
            }
            #expect(try sql.value("SELECT count(*)::text FROM employee WHERE firm_name IS NULL") == "5")
            #expect(try DerivedModel.wrongRows(sql) == [])
        }
    }

    @Test func copiesFollowAcrossTwoSteps() async throws {
        try await withStore(DerivedModel.model()) { container, sql in
            try await container.perform { context in
                let (one, two) = (context.insert("Firm"), context.insert("Firm"))
                (one["name"], two["name"]) = ("One", "Two")
                let department = Self.department(context, "D")
                department["firm"] = one
                let employee = Self.employee(context, 1, in: department)
                let free = Self.employee(context, 1, in: nil)
                try context.save()
                #expect(employee["firmName"] as? String == "One" && free["firmName"] == nil)
                one["name"] = "Uno"
                try context.save()
                #expect(
                    employee["firmName"] as? String == "Uno" && department["firmName"] as? String == "Uno")
                department["firm"] = two
                try context.save()
                #expect(employee["firmName"] as? String == "Two" && employee.version == 1)
                employee["department"] = nil
                try context.save()
                #expect(employee["firmName"] == nil && employee.version == 2)

                let desk = context.insert("Desk")
                desk["code"] = "A1"
                desk["owner"] = employee
                try context.save()
                #expect(employee["deskCode"] as? String == "A1" && desk["ownerName"] as? String == "E")
                desk["code"] = "A2"
                employee["name"] = "Ada"
                try context.save()
                #expect(employee["deskCode"] as? String == "A2" && desk["ownerName"] as? String == "Ada")
                desk["owner"] = free
                try context.save()
                #expect(employee["deskCode"] == nil && free["deskCode"] as? String == "A2")
                #expect(try DerivedModel.wrongRows(sql) == [])
                #expect(try DerivedModel.wrongObjects(context) == [])
            }
        }
    }

    /// Two statements for a group of attributes, whatever the number of objects; none where nothing is concerned.
    @Test func statementsDoNotGrowWithObjects() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "List",
                properties: [
                    .attribute("count", .integer64, optional: false, derivation: "items.@count"),
                    .attribute("sum", .integer64, optional: false, derivation: "items.@sum.size"),
                    .relationship("items", to: "Item", inverse: "list", toMany: true),
                ]),
            EntityDescription(
                "Item",
                properties: [
                    .attribute("size", .integer64), .attribute("text", .string),
                    .relationship("list", to: "List", inverse: "items"),
                ]),
        ])
        try await withStore(model) { container, _ in
            try await container.perform { context in
                let lists = (0..<50).map { _ in context.insert("List") }
                try context.save()
                let items = (0..<100).map { index in
                    let item = context.insert("Item")
                    item["size"] = index
                    item["list"] = lists[index % 50]
                    return item
                }
                container.statementLog.start()
                try context.save()
                // The insert, the lock and the update of the lists.
                #expect(container.statementLog.count == 3)
                #expect(container.statementLog.events.filter { $0.sql.contains("UPDATE") }.count == 2)
                #expect(lists.allSatisfy { $0["count"] as? Int64 == 2 } && lists[49]["sum"] as? Int64 == 148)
                for item in items { item["text"] = "x" }
                container.statementLog.start()
                try context.save()
                #expect(!container.statementLog.events.contains { $0.sql.contains("\"list\"") })
                container.statementLog.start()
                context.delete(items[0])
                try context.save()
                #expect(container.statementLog.events.filter { $0.sql.contains("\"list\"") }.count == 2)
                #expect(lists[0]["count"] as? Int64 == 1)
            }
        }
    }

    @Test func aRolledBackTransactionTakesItsFiguresAlong() async throws {
        struct Stop: Error {}
        try await withStore(DerivedModel.model()) { container, sql in
            let context = container.newBackgroundContext()
            try await context.perform { context in
                let department = Self.department(context, "1")
                _ = Self.employee(context, 1, in: department)
                try context.save()
            }
            await #expect(throws: Stop.self) {
                try await context.perform(isolation: .readCommitted) { context in
                    let department = try #require(
                        context.fetch(FetchRequest<ManagedObject>(entityName: "Department")).first)
                    _ = Self.employee(context, 2, in: department)
                    try context.save()
                    #expect(Self.figures(department) == "2 3")
                    throw Stop()
                }
            }
            try await context.perform { context in
                let department = try #require(
                    context.fetch(FetchRequest<ManagedObject>(entityName: "Department")).first)
                #expect(Self.figures(department) == "1 1")
                try context.save()
                #expect(Self.figures(department) == "2 3")
            }
            #expect(try DerivedModel.wrongRows(sql) == [])
        }
    }

    @Test func saversThatShareAnOwnerAllCount() async throws {
        try await withStore(DerivedModel.model()) { container, sql in
            let owner = try await container.perform { context in
                let department = Self.department(context, "1")
                let firm = context.insert("Firm")
                firm["name"] = "F0"
                department["firm"] = firm
                try context.save()
                return (department.objectID, firm.objectID)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for saver in 0..<6 {
                    group.addTask {
                        for round in 0..<15 {
                            try await container.perform(retrying: .conflicts(upTo: 50)) { context in
                                if saver == 0 {
                                    context.object(with: owner.1)["name"] = "F\(round)"
                                } else {
                                    let department = context.object(with: owner.0)
                                    _ = Self.employee(context, saver, in: department)
                                }
                                try context.save()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try sql.value("SELECT headcount::text FROM department") == "75")
            #expect(try DerivedModel.wrongRows(sql) == [])
        }
    }

    /// A saver that waited for the owner's row sees what the other one committed meanwhile.
    @Test func whoWaitsForTheOwnerCountsTheOthersToo() async throws {
        try await withStore(DerivedModel.model()) { container, sql in
            let owner = try await container.perform { context in
                let department = Self.department(context, "1")
                try context.save()
                return department.objectID
            }
            let (first, second) = (container.newBackgroundContext(), container.newBackgroundContext())
            let other = try await first.perform(isolation: .readCommitted) { context in
                _ = Self.employee(context, 1, in: context.object(with: owner))
                try context.save()
                let other = Task {
                    try await second.perform { context in
                        _ = Self.employee(context, 2, in: context.object(with: owner))
                        try context.save()
                    }
                }
                let waiting =
                    "SELECT count(*)::text FROM pg_stat_activity "
                    + "WHERE datname = current_database() AND wait_event_type = 'Lock'"
                for _ in 0..<30_000 {
                    if try sql.value(waiting) != "0" { break }
                    usleep(10_000)
                }
                #expect(try sql.value(waiting) != "0")
                return other
            }
            try await other.value
            #expect(try sql.rows("SELECT headcount::text, payroll::text FROM department") == [["2", "3"]])
        }
    }
}
