import DeclaredModels
import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@Suite struct BatchUpdateTests {
    @Test func valuesAndArithmeticInOneStatement() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 2, employees: 20)
            let handle = container.newBackgroundContext()
            try await container.perform { context in
                let all = BatchUpdateRequest(Employee.self, set: ["salary": 10.25], result: .statusOnly)
                let result = try context.execute(all)
                #expect(result.count == 20 && result.objectIDs.isEmpty)
            }
            let before = try await handle.perform { context in
                let people = try context.fetch(Employee.self)
                people[0].lastName = "unsaved"
                return people.map(\.salary)
            }
            container.statementLog.start()
            let result = try await container.perform { context in
                try context.execute(
                    BatchUpdateRequest(
                        Employee.self, matching: .format("department.name == 'd00000'"),
                        set: [
                            "salary": .multiply(by: 1.5), "visits": .increment(by: -3), "hiredAt": nil,
                            "firstName": .value("e\u{301}"), "lastName": .attribute("firstName"),
                            "location": .value(Location(latitude: 1, longitude: 2)),
                        ], result: .objectIDs))
            }
            // The condition is met by other rows, so that the rows are locked first.
            #expect(container.statementLog.count == 2)
            #expect(result.count == 10 && Set(result.objectIDs).count == 10)
            try await container.perform { context in
                let people = try context.fetch(Employee.self)
                for (person, before) in zip(people, before) {
                    let isChanged = result.objectIDs.contains(person.objectID)
                    #expect(person.salary == (isChanged ? before * Decimal(3) / 2 : before))
                    #expect((person.firstName == "é") == isChanged)
                    if isChanged {
                        #expect(person.lastName?.hasPrefix("e0") == true && person.hiredAt == nil)
                    }
                    if isChanged { #expect(person.location == Location(latitude: 1, longitude: 2)) }
                }
                try context.execute(
                    BatchUpdateRequest(
                        Employee.self, where: #Predicate { $0.visits >= -100 },
                        set: ["salary": 0.1, "department": nil]))
                let move = BatchUpdateRequest(
                    Employee.self, matching: .format("location.latitude == 1"), set: ["location.latitude": 9])
                #expect(try context.execute(move).count == 10)
                try context.refreshAllObjects()
                #expect(people.allSatisfy { $0.salary == Decimal(string: "0.1") && $0.department == nil })
                #expect(people.filter { $0.location == Location(latitude: 9, longitude: 2) }.count == 10)
            }
            // Versions moved, and ids lead a context to the rows.
            try await handle.perform { context in
                let error = #expect(throws: SaveError.self) { try context.save() }
                #expect(error?.code == .conflict)
                try context.mergeChanges(from: result.notice)
                try context.mergeChanges(
                    updated: context.fetch(Employee.self).map(\.objectID))
                try context.save()
            }
        }
    }

    @Test func onlyTheEntityOrItsFamily() async throws {
        try await withTestStore(DeclaredStaff.model()) { container in
            try await container.insert(into: DeclaredModels.Person.self, from: [["name": "p"]])
            try await container.insert(into: DeclaredModels.Worker.self, from: [["name": "w", "wage": 1]])
            try await container.insert(into: DeclaredModels.Boss.self, from: [["name": "b", "wage": 2]])
            try await container.perform { context in
                var request = BatchUpdateRequest(
                    DeclaredModels.Worker.self, set: ["wage": .increment(by: 10)], result: .objectIDs)
                let result = try context.execute(request)
                #expect(result.objectIDs.map(\.entityName).sorted() == ["Boss", "Worker"])
                request.includesSubentities = false
                request.resultType = .statusOnly
                #expect(try context.execute(request).count == 1)
                let wages = try context.fetch(DeclaredModels.Worker.self).map(\.wage)
                #expect(wages == [21, 12])
                let boss = try #require(try context.fetch(DeclaredModels.Boss.self).first)
                let set = BatchUpdateRequest(
                    DeclaredModels.Worker.self,
                    set: ["boss": .value(boss.objectID), "friend": .value(boss.objectID)])
                #expect(try context.execute(set).count == 2)
                try context.refreshAllObjects()
                #expect(boss.team.count == 2 && boss.friend === boss)
            }
        }
    }

    @Test func brokenRulesNameEntityPropertyAndObject() async throws {
        try await withTestStore(DeclaredStaff.ledger()) { container in
            let ids = try await container.insert(
                into: Book.self, result: .objectIDs,
                from: [["title": "a", "year": 1901], ["title": "b", "year": 1901]]
            ).objectIDs
            try await container.perform { context in
                func failure(_ settings: [String: BatchUpdateValue]) -> SaveError? {
                    #expect(throws: SaveError.self) {
                        try context.execute(BatchUpdateRequest(Book.self, set: settings))
                    }
                }
                var error = failure(["year": .increment(by: -5)])
                #expect(error?.code == .validation && error?.issues.first?.propertyName == "year")
                #expect(error?.issues.first?.objectID == ids[0].typed())
                error = failure(["title": "same"])
                #expect(error?.code == .uniqueness && error?.issues.first?.properties == ["title", "year"])
                error = failure(["year": nil])
                #expect(error?.issues.first?.code == 1570)
                error = failure(["year": "text"])
                #expect(error?.code == .validation && error?.issues.first?.propertyName == "year")
                error = failure(["title": "\0"])
                #expect(error?.issues.first?.propertyName == "title")
                error = failure(["year": .multiply(by: 1.5)])
                #expect(error?.issues.first?.propertyName == "year")
                error = failure(["year": .increment(by: 31_000)])
                #expect(error?.code == .validation)
                try #expect(context.fetch(Book.self).map(\.year) == [1901, 1901])
            }
        }
    }

    /// The server does not say which of several it was, nor of which row.
    @Test func whatOverflowsIsNamedWithTheRemedy() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 1, employees: 2)
            for isolation in [nil, Isolation.readCommitted] {
                try await container.perform(isolation: isolation) { context in
                    try context.execute(BatchUpdateRequest(Employee.self, set: ["visits": 3]))
                    for (settings, names) in [
                        (["visits": .increment(by: .int(.max)), "lastName": "n"], ["visits"]),
                        (["visits": .multiply(by: .int(.max))], ["visits"]),
                        (
                            ["visits": .multiply(by: .int(.max)), "salary": .increment(by: 1)],
                            ["salary", "visits"]
                        ),
                    ] as [([String: BatchUpdateValue], [String])] {
                        let error = #expect(throws: SaveError.self) {
                            try context.execute(BatchUpdateRequest(Employee.self, set: settings))
                        }
                        #expect(error?.code == .validation && error?.issues.count == 1)
                        #expect(error?.issues.first?.entityName == "Employee")
                        #expect(error?.issues.first?.properties == names)
                        #expect(error?.issues.first?.message.contains("Exclude such rows") == true)
                        // A transaction goes on with what it had.
                        #expect(try context.fetchValues(of: \Employee.visits) == [3, 3])
                    }
                }
            }
        }
    }

    @Test func whatCannotBeUpdatedIsRefused() async throws {
        try await withTestStore(DeclaredStaff.ledger()) { container in
            try await container.perform { context in
                for (name, value) in [
                    ("titel", "a"), ("size", 1), ("entries", nil), ("isOpen", true), ("year.x", 1),
                    ("title", .increment(by: 1)), ("title", .attribute("year")), ("title", .attribute("tit")),
                ] as [(String, BatchUpdateValue)] {
                    expect(.invalidRequest) {
                        try context.execute(BatchUpdateRequest(Book.self, set: [name: value]))
                    }
                }
                expect(.invalidRequest) { try context.execute(BatchUpdateRequest(Book.self, set: [:])) }
                var limited = FetchRequest<Book>()
                limited.fetchOffset = 1
                expect(.invalidRequest) {
                    try context.execute(BatchUpdateRequest(limited, set: ["title": "a"]))
                }
            }
        }
        try await withTestStore(DeclaredLists.model()) { container in
            try await container.perform { context in
                expect(.invalidRequest) {
                    try context.execute(BatchUpdateRequest(Song.self, set: ["album": nil]))
                }
            }
        }
    }
}
