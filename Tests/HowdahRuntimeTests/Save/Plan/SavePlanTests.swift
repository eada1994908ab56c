import Foundation
import HowdahModel
import PQClient
import Testing

@testable import HowdahRuntime

/// What a save will do is a value: made, printed and compared without a server.
@Suite struct SavePlanTests {
    @Test func changesBecomeOperationsInTheOrderOfWriting() throws {
        let offline = try OfflineContext(Company.model())
        let context = offline.context
        let (old, new) = (try offline.stored(Department.self, 1), try offline.stored(Department.self, 2))
        let moved = try offline.stored(Employee.self, 11) { $0.department = old }
        let renamed = try offline.stored(Employee.self, 12)
        let project = try offline.stored(Project.self, 21)
        moved.department = new
        moved.firstName = "Moved"
        renamed.lastName = "Renamed"
        new.budget = 5
        let hired = Employee(context: context)
        hired.firstName = "Hired"
        hired.department = new
        project.members.insert(renamed)
        project.members.insert(hired)
        let plan = try offline.plan(deleting: [old])
        #expect(
            plan.description == """
                move away 1 in "public"."employee" ("department")
                delete 1 from "public"."department"
                update 1 in "public"."department" ("budget")
                update 1 in "public"."employee" ("first_name", "department")
                update 1 in "public"."employee" ("last_name")
                insert 1 into "public"."employee" ("_id", "first_name", "last_name", "salary", "hired_at", "visits", \
                "location_latitude", "location_longitude", "department")
                link 2 in "public"."employee_projects"
                """)
        #expect(plan.inserts.first?.rows.first?.key == 1_000)
        #expect(plan.linkInserts.first?.pairs.count == 2)
        // Moving out of the way is no change of its own.
        #expect(plan.movesAway.map(\.bumpsVersion) == [false])
    }

    /// A foreign key that cleared the row would move its version, if a trigger counts for other programs.
    @Test func whatLosesItsDestinationMovesAwayFirst() throws {
        let offline = try OfflineContext(Company.model())
        let old = try offline.stored(Department.self, 1)
        let employee = try offline.stored(Employee.self, 11) { $0.department = old }
        let other = try offline.stored(Employee.self, 12) { $0.department = old }
        employee.firstName = "Left"
        other.department = nil
        var settled = try offline.settled(deleting: [old])
        settled.updated = settled.updated.map { update in
            let lost = settled.lostDestinations(of: update.object, layouts: offline.context.layouts)
            return .init(object: update.object, slots: Set(update.slots + lost).sorted())
        }
        let plan = try offline.plan(settled)
        #expect(
            plan.description == """
                move away 2 in "public"."employee" ("department")
                delete 1 from "public"."department"
                update 1 in "public"."employee" ("department")
                update 1 in "public"."employee" ("first_name", "department")
                """)
        #expect(plan.movesAway.flatMap(\.rows).allSatisfy { $0.values == [.null] })
        #expect(try SaveBatches(plan).holdsTriggers)
    }

    @Test func onlyWhatDiffersIsWritten() throws {
        let offline = try OfflineContext(Company.model())
        let employee = try offline.stored(Employee.self, 1) { $0.firstName = "Ada" }
        employee.firstName = "Bea"
        employee.firstName = "Ada"
        employee.department = try offline.stored(Department.self, 2)
        employee.department = nil
        #expect(try offline.context.freezeChanges().isEmpty)
        employee.lastName = "Byron"
        #expect(try offline.plan().description == "update 1 in \"public\".\"employee\" (\"last_name\")")
    }

    /// A save that only updates one row takes a shorter way to the same plan and text.
    @Test func anUpdateAloneHasTheStatementOfOneAmongOthers() throws {
        let offline = try OfflineContext(Company.model())
        let changes: [(Employee) throws -> Void] = [
            { $0.firstName = "Ada" }, { $0.location = nil },
            { $0.department = try offline.stored(Department.self, 2) },
            { ($0.firstName, $0.visits) = ("Bea", 3) }, { ($0.firstName, $0.department) = ("Cy", nil) },
        ]
        let other = try offline.stored(Project.self, 99)
        for (index, change) in changes.enumerated() {
            let department = try offline.stored(Department.self, 1)
            let employee = try offline.stored(Employee.self, Int64(index + 10), version: 7) {
                $0.department = department
                $0.location = Location(latitude: 1, longitude: 2)
            }
            try change(employee)
            // Twice, because the second time the columns are known.
            for _ in 0..<2 {
                var settled = try offline.settled(deleting: [])
                let short = try offline.plan(settled)
                #expect(settled.isOneUpdate && short.updates.count == 1)
                settled.dropped = [ObjectIdentifier(other)]
                let long = try offline.plan(settled)
                #expect(!settled.isOneUpdate && short.description == long.description)
                let (one, among) = (try #require(short.updates.first), try #require(long.updates.first))
                #expect(one.columns == among.columns && one.bumpsVersion && among.bumpsVersion)
                #expect(one.rows.map(\.values) == among.rows.map(\.values))
                #expect(one.rows.map(\.key) == [Int64(index + 10)] && one.rows.map(\.version) == [7])
                let statement = try #require(try SaveBatches(short).single)
                let text = try WrittenColumns.textForRow(
                    one.table, one.columns, one.readBack, bumpsVersion: true)
                #expect(statement.sql == text && statement.parameters.count == one.columns.count + 2)
            }
            offline.context.rollback()
        }
    }

    /// The text of an update that keeps the version is another one.
    @Test func parkedRowsKeepTheirVersion() throws {
        let offline = try OfflineContext(Company.model())
        let departments = try (1...2).map { key in
            try offline.stored(Department.self, Int64(key)) { $0.name = "\(key)" }
        }
        (departments[0].name, departments[1].name) = ("2", "1")
        guard case .statements(let statements) = try SaveBatches(offline.plan()).segments.first else {
            Issue.record("no statements")
            return
        }
        let texts = statements.map(\.sql)
        #expect(
            texts.count == 4
                && texts.map { $0.contains(" + 1") } == [false, false, true, true])
    }

    @Test func exchangedUniqueValuesAreParkedFirst() throws {
        let offline = try OfflineContext(Company.model())
        let names = ["a", "b", "c"]
        let departments = try names.enumerated().map { index, name in
            try offline.stored(Department.self, Int64(index + 1)) { $0.name = name }
        }
        for (index, department) in departments.enumerated() { department.name = names[(index + 1) % 3] }
        let plan = try offline.plan()
        #expect(
            plan.description == """
                park 3 in "public"."department" ("name")
                update 3 in "public"."department" ("name")
                """)
        let parked = plan.parkings[0].rows.flatMap(\.values)
        #expect(Set(parked).count == 3 && !parked.contains { names.map(Value.string).contains($0) })
    }

    @Test(arguments: [1, 7, 8, 127, 128, 129])
    func theNumberOfRowsChoosesTheBatch(count: Int) throws {
        let offline = try OfflineContext(Company.model())
        for index in 0..<count {
            let project = Project(context: offline.context)
            project.title = "secret \(index)"
        }
        let batches = try SaveBatches(offline.plan())
        #expect(batches.segments.count == 1)
        switch batches.segments.first {
        case .statements(let statements):
            #expect(count < SaveBatches.copyThreshold)
            #expect(statements.count == (count < SaveBatches.arrayThreshold ? count : 1))
            #expect(
                statements.allSatisfy { $0.sql.contains("unnest") == (count >= SaveBatches.arrayThreshold) })
            #expect(statements.allSatisfy { !$0.sql.contains("secret") })
        case .copy(let copy):
            #expect(count >= SaveBatches.copyThreshold)
            #expect(copy.insert.rows.count == count && !copy.sql.contains("secret"))
        case nil: Issue.record("no segment")
        }
    }

    @Test(arguments: [1, 7, 8, 1_000, 1_001, 2_500])
    func updatesOfOneShapeShareStatements(count: Int) throws {
        let offline = try OfflineContext(Company.model())
        for key in 1...count {
            let employee = try offline.stored(Employee.self, Int64(key))
            employee.lastName = "secret"
        }
        let plan = try offline.plan()
        #expect(!plan.isLocked)
        let batches = try SaveBatches(plan)
        guard case .statements(let statements) = batches.segments.first else {
            Issue.record("no statements")
            return
        }
        #expect(statements.count == (count < 8 ? count : (count + 999) / 1_000))
        #expect(statements.flatMap { $0.guarded?.keys ?? [] } == (1...count).map(Int64.init))
        #expect(statements.allSatisfy { !$0.sql.contains("secret") && $0.sql.contains("_version") })
        // Alone a statement needs no transaction; with several rows in it a miss must be undone.
        #expect((batches.single != nil) == (count == 1))
    }

    @Test func severalShapesAskForLocksFirst() throws {
        let offline = try OfflineContext(Company.model())
        let (one, other) = (try offline.stored(Employee.self, 1), try offline.stored(Employee.self, 2))
        one.lastName = "x"
        other.lastName = "y"
        func needsLocks() throws -> Bool {
            try offline.context.freezeChanges().needsLocks(offline.context.store.layouts, isNested: false)
        }
        #expect(try !needsLocks())
        other.visits = 7
        #expect(try needsLocks())
    }

    @Test func deletionsThatReachNothingElseCompareVersionsThemselves() throws {
        let offline = try OfflineContext(Company.model())
        let context = offline.context
        let rooms = try (1...3).map { try offline.stored(Room.self, $0, version: $0) }
        let unread = context.object(entity: rooms[0].layout.index, key: 9)
        context.delete(rooms[1])
        let layouts = context.store.layouts
        #expect(try context.freezeChanges().needsLocks(layouts, isNested: false) == false)
        #expect(try context.freezeChanges().needsLocks(layouts, isNested: true))
        let single = try #require(SaveBatches(try offline.plan(deleting: [rooms[1]])).single)
        #expect(single.guarded?.keys == [2] && single.sql.contains("_version"))

        let batches = try SaveBatches(try offline.plan(deleting: [rooms[2], unread, rooms[0]]))
        #expect(batches.single == nil && batches.isGuarded && batches.needsNestedLoops)
        guard case .statements(let statements) = batches.segments.first else {
            Issue.record("no statements")
            return
        }
        #expect(statements.map { $0.guarded?.keys } == [[1, 3, 9]])

        // An employee may head a department and work on projects: those come first.
        context.delete(try offline.stored(Employee.self, 1))
        #expect(try context.freezeChanges().needsLocks(layouts, isNested: false))
    }
}
