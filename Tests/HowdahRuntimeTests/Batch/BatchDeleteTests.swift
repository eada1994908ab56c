import Howdah
import HowdahTesting
import TestSupport
import Testing

@Suite struct BatchDeleteTests {
    @Test func deletesWhatAFetchWouldFind() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 4, employees: 40)
            let ids = try await container.perform { context in
                try context.fetch(Employee.self, matching: .format("firstName < 'e010'")).map(\.objectID)
            }
            container.statementLog.start()
            let result = try await container.perform { context in
                try context.execute(
                    BatchDeleteRequest(
                        Employee.self, matching: .format("firstName < 'e010'"), result: .objectIDs))
            }
            // Rows are locked, references to them are cleared, the rows are deleted, and a query looks for rests.
            #expect(container.statementLog.count == 4)
            #expect(result.count == 10 && Set(result.objectIDs) == Set(ids))
            let joined = try await container.perform { context in
                try context.execute(
                    BatchDeleteRequest(Employee.self, matching: .format("department.name == 'd00001'")))
            }
            #expect(joined.count == 7 && joined.objectIDs.isEmpty)
            let rest = try await container.perform { context in
                try context.execute(BatchDeleteRequest(Employee.self)).count
            }
            #expect(rest == 23)
            let left = try await container.perform { try $0.count(Department.self) }
            #expect(left == 4)
        }
    }

    @Test func minimumCountsAreNotLookedAt() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Team",
                properties: [
                    .relationship("players", to: "Player", inverse: "team", toMany: true, minCount: 1)
                ]),
            EntityDescription("Player", properties: [.relationship("team", to: "Team", inverse: "players")]),
        ])
        try await withTestStore(model) { container in
            try await container.perform { context in
                let player = context.insert("Player")
                player["team"] = context.insert("Team")
                try context.save()
            }
            try await expectStatements(1, on: container) {
                try await container.perform { context in
                    let result = try context.execute(
                        BatchDeleteRequest<ManagedObject>(.init(entityName: "Player")))
                    #expect(result.count == 1)
                }
            }
            try await container.perform { context in
                let team = try #require(try context.fetch("Team").first)
                #expect(team.members(forKey: "players").count == 0)
            }
        }
    }

    /// As a failed save does, a failed batch undoes itself alone.
    @Test func aTransactionGoesOnAfterARefusal() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Team",
                properties: [
                    .attribute("name", .string),
                    .relationship(
                        "players", to: "Player", inverse: "team", toMany: true, deleteRule: .deny),
                ], uniquenessConstraints: [["name"]]),
            EntityDescription("Player", properties: [.relationship("team", to: "Team", inverse: "players")]),
        ])
        try await withTestStore(model) { container in
            try await container.perform(isolation: .readCommitted) { context in
                for name in ["a", "b"] {
                    let team = context.insert("Team")
                    team["name"] = name
                    context.insert("Player")["team"] = team
                }
                try context.save()
                let all = FetchRequest<ManagedObject>(entityName: "Team")
                for _ in 0..<2 {
                    let error = #expect(throws: SaveError.self) {
                        try context.execute(BatchDeleteRequest(all))
                    }
                    #expect(
                        error?.code == .referentialIntegrity && error?.issues.first?.propertyName == "team")
                    let text = error.map { "\($0)" } ?? ""
                    #expect(
                        text.contains("Delete this object first") && !text.contains("save again"), "\(text)")
                    #expect(throws: SaveError.self) {
                        try context.execute(BatchUpdateRequest(all, set: ["name": "same"]))
                    }
                    #expect(try context.count(for: all) == 2)
                }
                #expect(try context.execute(BatchUpdateRequest(all, set: ["name": nil])).count == 2)
            }
            let names = try await container.perform { context in
                try context.fetch("Team").map { $0["name"] as? String }
            }
            #expect(names == [nil, nil])
        }
    }

    @Test func isPartOfATransactionThatRollsBack() async throws {
        struct Stop: Error {}
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 1, employees: 4)
            await #expect(throws: Stop.self) {
                try await container.perform(isolation: .readCommitted) { context in
                    #expect(try context.execute(BatchDeleteRequest(Employee.self)).count == 4)
                    throw Stop()
                }
            }
            #expect(try await container.perform { try $0.count(Employee.self) } == 4)
        }
    }

    @Test func onlyTheEntitysOwnRowsOfAHierarchyGo() async throws {
        try await withTestStore(Staff.model()) { container in
            try await container.perform { context in
                Person(context: context).name = "p"
                Worker(context: context).name = "w"
                Boss(context: context).name = "b"
                try context.save()
            }
            let result = try await container.perform {
                try $0.execute(BatchDeleteRequest(Worker.self, result: .objectIDs))
            }
            #expect(result.objectIDs.map(\.entityName).sorted() == ["Boss", "Worker"])
            let names = try await container.perform { try $0.fetch(Person.self).map(\.name) }
            #expect(names == ["p"])
        }
    }

    @Test func idsAreDeletedWhateverTheirEntity() async throws {
        try await withTestStore(Staff.model()) { container in
            try await container.perform { context in
                Person(context: context).name = "p"
                Worker(context: context).name = "w"
                Boss(context: context).name = "b"
                try context.save()
            }
            let ids = try await container.perform { try $0.fetch(Person.self).map(\.objectID) }
            container.statementLog.start()
            try await container.perform { context in
                #expect(try context.execute(BatchDeleteRequest(objectIDs: [ObjectID<Person>]())).count == 0)
                #expect(container.statementLog.count == 0)
                let request = BatchDeleteRequest(objectIDs: Array(ids.suffix(2)), result: .objectIDs)
                #expect(try Set(context.execute(request).objectIDs) == Set(ids.suffix(2)))
                #expect(container.statementLog.count == 4)
                let again = BatchDeleteRequest(objectIDs: ids, result: .statusOnly)
                let result = try context.execute(again)
                #expect(result.count == 1 && result.objectIDs.isEmpty)
            }
        }
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 1, employees: 1)
            try await container.perform { context in
                let mixed: [ObjectID<ManagedObject>] =
                    try context.fetch(Department.self).map { $0.objectID.typed() }
                    + context.fetch(Employee.self).map { $0.objectID.typed() }
                expect(.foreignID) { try context.execute(BatchDeleteRequest(objectIDs: mixed)) }
                try #expect(context.count(Employee.self) == 1)
            }
        }
    }

    @Test func wrongRequestsAndRefusalsOfTheDatabaseAreErrors() async throws {
        try await withTestStore(Company.model()) { container in
            try await container.perform { context in
                expect(.invalidRequest) {
                    var request = FetchRequest<Employee>()
                    request.fetchOffset = 1
                    try context.execute(BatchDeleteRequest(request))
                }
                #expect(throws: PredicateTreeError.self) {
                    try context.execute(BatchDeleteRequest(Employee.self, matching: .format("nam == 1")))
                }
                #expect(throws: PredicateTreeError.self) {
                    try context.execute(BatchDeleteRequest(Employee.self, matching: .format("=== 1")))
                }
                expect(.unknownEntity) {
                    try context.execute(
                        BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: "Employe")))
                }
            }
        }
    }
}
