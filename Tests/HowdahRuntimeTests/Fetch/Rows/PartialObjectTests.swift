import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Fetches of objects that read some of their properties.
@Suite struct PartialObjectTests {
    @Test("The version of a partial object was read with it, and loads nothing, also if the row is gone")
    func version() async throws {
        try await Self.with(2) { store in
            try await store.container.perform { context in
                let objects = try context.fetch(Self.names())
                try store.execute("DELETE FROM employee WHERE first_name = 'E1'")
                store.container.statementLog.start()
                #expect(objects.map { $0.version?.description } == ["r1", "r1"])
                #expect(store.container.statementLog.count == 0)
                let salary = objects[0].salary
                #expect(salary == 0)
            }
        }
    }

    private static func names() -> FetchRequest<Employee> {
        var request = FetchRequest<Employee>()
        request.propertiesToFetch = [.property(\.firstName), "location.latitude", "department", .objectID]
        request.sortDescriptors = [.ascending(\.firstName)]
        return request
    }

    /// Departments d0… with employees E0…, each with a salary of ten times its number.
    private static func with(
        _ count: Int, _ body: @Sendable (CompanyStore) async throws -> Void
    ) async throws {
        try await CompanyStore.with { store in
            try await store.container.perform { context in
                let departments = (0..<3).map { number in
                    let department = Department(context: context)
                    department.name = "d\(number)"
                    return department
                }
                for number in 0..<count {
                    let employee = Employee(context: context)
                    employee.firstName = "E\(number)"
                    employee.lastName = number == 0 ? nil : "L\(number)"
                    employee.salary = Decimal(number * 10)
                    employee.visits = number
                    employee.location = Location(latitude: Double(number), longitude: 1)
                    employee.department = departments[number % 3]
                }
                try context.save()
            }
            try await body(store)
        }
    }

    @Test func onlyTheColumnsAskedForAreRead() async throws {
        try await Self.with(2) { store in
            try await store.container.perform { context in
                let sql = try context.explain(Self.names()).sql
                let list = try #require(sql.range(of: " FROM ")).lowerBound
                let columns = sql[..<list]
                for name in ["_id", "_version", "first_name", "location", "department"] {
                    #expect(columns.contains(name), "\(name) in \(columns)")
                }
                for name in ["last_name", "salary", "hired_at", "visits"] {
                    #expect(!columns.contains(name), "\(name) in \(columns)")
                }
            }
        }
    }

    /// What was asked for is there; the first property that was not loads the rest for all, in one statement.
    @Test func theRestIsLoadedForAllAtOnce() async throws {
        try await Self.with(30) { store in
            try await store.container.perform { context in
                let log = store.container.statementLog
                log.start()
                let people = try context.fetch(Self.names())
                #expect(people.count == 30 && log.count == 1)
                #expect(people.allSatisfy { $0.isFault && !$0.hasChanges })
                for person in people {
                    let number = try #require(Int(person.firstName.dropFirst()))
                    #expect(person.location == Location(latitude: Double(number), longitude: 1))
                    #expect(person.value(forKey: "firstName") as? String == person.firstName)
                    #expect(person.hasFault(forRelationshipNamed: "projects"))
                }
                #expect(log.count == 1, "nothing was missing")
                #expect(people.allSatisfy { $0.department?.name.first == "d" })
                #expect(log.count == 2, "departments, by the foreign keys that were read")
                #expect(people.allSatisfy { $0.isFault })
                for person in people {
                    let number = try #require(Int(person.firstName.dropFirst()))
                    #expect(person.salary == Decimal(number * 10) && person.visits == number)
                    #expect(person.lastName == (number == 0 ? nil : "L\(number)"))
                }
                #expect(log.count == 3, "one statement for all that was missing")
                #expect(people.allSatisfy { !$0.isFault && !$0.hasChanges })
                #expect(people.allSatisfy { $0.department?.employees.contains($0) == true })
            }
        }
    }

    @Test func cohortsBoundWhatIsLoaded() async throws {
        try await Self.with(3) { store in
            try await store.container.perform { context in
                var request = Self.names()
                request.loadsCohorts = false
                let people = try context.fetch(request)
                let log = store.container.statementLog
                log.start()
                #expect(people.map(\.firstName) == ["E0", "E1", "E2"] && log.count == 0)
                #expect(people.map(\.visits) == [0, 1, 2] && log.count == 3)
            }
        }
    }

    @Test func prefetchingNeedsNoWholeRow() async throws {
        try await Self.with(9) { store in
            try await store.container.perform { context in
                var request = FetchRequest<Employee>()
                request.propertiesToFetch = [.property(\.firstName)]
                request.relationshipKeyPathsForPrefetching = ["department", "projects"]
                let log = store.container.statementLog
                log.start()
                let people = try context.fetch(request)
                #expect(log.count == 3)
                #expect(people.allSatisfy { $0.department?.name.isEmpty == false && $0.projects.isEmpty })
                #expect(log.count == 3 && people.allSatisfy { $0.isFault })
            }
        }
    }

    // MARK: Changes

    @Test func aChangeIsThatOfTheWholeObject() async throws {
        try await Self.with(3) { store in
            try await store.container.perform { context in
                let people = try context.fetch(Self.names())
                people[0].firstName = "A"
                people[1].visits += 40
                #expect(people[0].changedPropertyNames == ["firstName"])
                #expect(people[0].committedValues()["firstName"] as? String == "E0")
                #expect(people[1].changedPropertyNames == ["visits"])
                try context.save()
                #expect(!context.hasChanges)
            }
            try await store.container.perform { context in
                let people = try context.fetch(Employee.self, sortedBy: .ascending(\.salary))
                #expect(people.map(\.firstName) == ["A", "E1", "E2"] && people.map(\.visits) == [0, 41, 2])
                #expect(people.map(\.lastName) == [nil, "L1", "L2"])
                #expect(people.map(\.location?.latitude) == [0, 1, 2])
                #expect(people.allSatisfy { $0.department != nil })
            }
        }
    }

    /// Somebody else wrote between the fetch and the first access: what was read stays, and the save tells.
    @Test func aRowThatChangedMeanwhileIsAConflict() async throws {
        try await Self.with(2) { store in
            try await store.container.perform { context in
                var request = Self.names()
                request.propertiesToFetch = [.property(\.visits)]
                let people = try context.fetch(request)
                let before = people[1].visits
                try store.execute(
                    "UPDATE employee SET visits = 100, salary = 7, _version = _version + 1 WHERE first_name = 'E1'"
                )
                people[1].visits = before + 1
                #expect(people[1].salary == 7)
                let error = #expect(throws: SaveError.self) { try context.save() }
                #expect(error?.code == .conflict && error?.conflicts.first?.properties == ["visits"])
                context.mergePolicy = .mergeByPropertyStoreTrump
                try context.save()
                #expect(people[1].visits == 100)
                // The other one was not touched by anybody.
                people[0].visits = 5
                context.mergePolicy = .error
                try context.save()
            }
        }
    }

    @Test func deletionsAndGuardsCheckTheVersionThatWasRead() async throws {
        try await Self.with(3) { store in
            try await store.container.perform { context in
                let people = try context.fetch(Self.names())
                try store.execute("UPDATE employee SET visits = 100, _version = _version + 1")
                context.detectConflicts(for: people[0])
                let project = Project(context: context)
                project.title = "p"
                people[1].projects.insert(project)
                let error = #expect(throws: SaveError.self) { try context.save() }
                #expect(error?.conflicts.count == 1)
                context.rollback()
                context.refresh(people[2])
                #expect(people[2].visits == 100)
                context.delete(people[2])
                try context.save()
                #expect(try context.count(Employee.self) == 2)
            }
        }
    }

    /// Values that a save or a merge may have moved are read again.
    @Test func savesAndRefreshesReachPartialObjects() async throws {
        try await Self.with(3) { store in
            try await store.container.perform { context in
                let people = try context.fetch(Self.names())
                let department = try #require(people[0].department)
                context.delete(department)
                try context.save()
                #expect(people[0].department == nil && people[0].visits == 0)
                #expect(people[1].department?.name == "d1")
            }
            try await store.container.perform { context in
                let people = try context.fetch(Self.names())
                try store.execute(
                    "UPDATE employee SET first_name = 'x', _version = _version + 1 WHERE first_name = 'E2'")
                #expect(people[2].firstName == "E2")
                try context.refreshAllObjects()
                #expect(people[2].firstName == "x")
            }
        }
    }

    // MARK: Known objects

    @Test func knownObjectsStayAsTheyAre() async throws {
        try await Self.with(3) { store in
            try await store.container.perform { context in
                let log = store.container.statementLog
                let whole = try context.fetch(Employee.self, matching: .format("firstName == 'E1'"))
                whole[0].lastName = "mine"
                let people = try context.fetch(Self.names())
                log.start()
                #expect(people[1] === whole[0] && !whole[0].isFault && whole[0].lastName == "mine")
                #expect(whole[0].visits == 1 && log.count == 0)
                #expect(people.map(\.firstName) == ["E0", "E1", "E2"] && log.count == 0)
                // Fetched again with other properties, with fewer, as ids, and whole.
                var other = Self.names()
                other.propertiesToFetch = [.property(\.visits)]
                _ = try context.fetch(other)
                log.start()
                #expect(people.map(\.visits) == [0, 1, 2] && log.count == 0)
                other.propertiesToFetch = [.objectID]
                _ = try context.fetch(other)
                other.includesPropertyValues = false
                _ = try context.fetch(other)
                log.start()
                #expect(people.map(\.visits) == [0, 1, 2] && log.count == 0)
                #expect(people.filter(\.isFault).count == 2)
                _ = try context.fetch(Employee.self)
                log.start()
                #expect(people.allSatisfy { !$0.isFault } && people.map(\.firstName) == ["E0", "E1", "E2"])
                #expect(log.count == 0)
                context.rollback()
            }
        }
    }

    @Test func refreshedObjectsShowWhatIsStored() async throws {
        try await Self.with(2) { store in
            try await store.container.perform { context in
                let whole = try context.fetch(Employee.self, sortedBy: .ascending(\.firstName))
                try store.execute("UPDATE employee SET visits = visits + 50, last_name = 'n', _version = 9")
                var request = Self.names()
                request.propertiesToFetch = [.property(\.visits)]
                request.shouldRefreshRefetchedObjects = true
                let people = try context.fetch(request)
                #expect(people == whole && people.map(\.visits) == [50, 51])
                #expect(people.map(\.lastName) == ["n", "n"])
                people[0].visits = 1
                try context.save()
            }
        }
    }

    @Test func childrenHaveWholeObjects() async throws {
        try await Self.with(3) { store in
            try await store.container.perform { context in
                let partial = try context.fetch(Self.names())
                let child = context.newChildContext()
                let people = try child.fetch(Self.names())
                #expect(people.map(\.visits) == [0, 1, 2])
                people[0].visits = 8
                try child.save()
                #expect(partial.map(\.visits) == [8, 1, 2])
                try context.save()
            }
        }
    }

    // MARK: Other ways to fetch

    @Test func pagesBatchesAndMembersAreReadInPart() async throws {
        try await Self.with(9) { store in
            try await store.container.perform { context in
                let log = store.container.statementLog
                var request = Self.names()
                request.fetchLimit = 4
                let page = try context.fetchPage(request)
                log.start()
                #expect(page.objects.map(\.firstName) == ["E0", "E1", "E2", "E3"] && log.count == 0)
                #expect(page.objects.map(\.visits) == [0, 1, 2, 3] && log.count == 1)
                request.fetchLimit = 0
                var names: [String] = []
                context.reset()
                try context.forEachBatch(of: request, size: 4) { people in
                    #expect(people.allSatisfy { $0.isFault })
                    names += people.map(\.firstName)
                }
                #expect(names == (0..<9).map { "E\($0)" })
                let departments = try context.fetch(Department.self)
                let members = try context.fetchMembers("employees", of: departments, Self.names())
                log.start()
                for department in departments {
                    #expect(members[department].allSatisfy { $0.isFault && $0.firstName.first == "E" })
                }
                #expect(log.count == 0)
            }
        }
    }

    @Test func objectsOfAHierarchyHaveTheirOwnPart() async throws {
        try await withTestStore(Staff.model()) { container in
            try await container.perform { context in
                let boss = Boss(context: context)
                (boss.name, boss.title, boss.wage) = ("b", "t", 9)
                let worker = Worker(context: context)
                (worker.name, worker.wage, worker.boss) = ("w", 3, boss)
                Person(context: context).name = "p"
                try context.save()
            }
            try await container.perform { context in
                var request = FetchRequest<Person>()
                request.propertiesToFetch = [.property(\.name)]
                request.sortDescriptors = [.ascending(\.name)]
                let log = container.statementLog
                log.start()
                let people = try context.fetch(request)
                #expect(people.map(\.name) == ["b", "p", "w"] && log.count == 1)
                #expect((people[0] as? Boss)?.title == "t" && (people[2] as? Worker)?.boss === people[0])
                #expect((people[2] as? Worker)?.wage == 3 && log.count == 2)
            }
        }
    }

    // MARK: What cannot be held

    @Test func whatNoObjectHoldsIsAClearError() async throws {
        try await Self.with(1) { store in
            try await store.container.perform { context in
                func refuses(_ part: String, _ change: (inout FetchRequest<Employee>) -> Void) {
                    var request = FetchRequest<Employee>()
                    change(&request)
                    #expect { _ = try context.fetch(request) } throws: { "\($0)".contains(part) }
                }
                refuses("Did you mean 'firstName'") { $0.propertiesToFetch = ["firstname"] }
                refuses("relationshipKeyPathsForPrefetching") { $0.propertiesToFetch = ["projects"] }
                refuses("prefetch it") { $0.propertiesToFetch = ["department.name"] }
                refuses("Fetch dictionaries for it") { $0.propertiesToFetch = [.count()] }
                refuses("Use one of these: latitude, longitude") {
                    $0.propertiesToFetch = ["location.altitude"]
                }
                refuses("Objects cannot be grouped") { $0.propertiesToGroupBy = ["lastName"] }
                refuses("Objects cannot be grouped") { $0.havingPredicate = .format("count > 1") }
            }
        }
    }
}
