import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// Some of the members of many owners, in one statement and beside the owners.
@Suite struct MemberFetchTests {
    private func withCompany(
        _ options: StoreOptions = StoreOptions(),
        _ body: @escaping @Sendable (ManagedObjectContext, PersistentContainer) throws -> Void
    ) async throws {
        try await CompanyStore.with(options: options) { store in
            try await Company.fill(store.container, departments: 5, employees: 40)
            try await store.container.perform { try body($0, store.container) }
        }
    }

    @Test func theFirstOfEachOwnerComeInOneStatement() async throws {
        try await withCompany { context, container in
            let departments = try context.fetch(Department.self, sortedBy: .descending(\.name))
            container.statementLog.start()
            let latest = try context.fetchMembers(
                \.employees, of: departments, where: #Predicate { $0.firstName != "e039" },
                sortedBy: .descending(\.firstName), limit: 3)
            #expect(container.statementLog.count == 1)
            #expect(latest.owners == departments)
            let names = latest[departments[0]].map(\.firstName)
            #expect(names == ["e034", "e029", "e024"])
            #expect(latest.map { $0.members.count } == [3, 3, 3, 3, 3])
            #expect(latest[4].owner === departments[4])
            #expect(latest[departments[4]].map(\.firstName) == ["e035", "e030", "e025"])
            // The collections themselves are as they were.
            #expect(departments.allSatisfy { $0.hasFault(forRelationshipNamed: "employees") })
            #expect(departments[0].employees.count == 8)
            #expect(!context.hasChanges)
            let second = try context.fetchMembers(
                \.employees, of: departments, sortedBy: .ascending(\.firstName), limit: 2, offset: 6)
            #expect(second[departments[4]].map(\.firstName) == ["e030", "e035"])
            let all = try context.fetchMembers(
                \.employees, of: departments, matching: .format("firstName < 'e012'"),
                sortedBy: .ascending(\.firstName))
            #expect(all[departments[4]].map(\.firstName) == ["e000", "e005", "e010"])
        }
    }

    @Test func manyToManyAndPrefetchedSteps() async throws {
        try await withCompany { context, container in
            let staff = try context.fetch(Employee.self, sortedBy: .ascending(\.firstName))
            var request = FetchRequest<Employee>()
            request.sortDescriptors = [.descending(\.firstName)]
            request.fetchLimit = 1
            request.relationshipKeyPathsForPrefetching = ["department"]
            let projects = try context.fetch(Project.self)
            context.reset()
            let found = try context.fetch(Project.self, sortedBy: .ascending(\.title))
            #expect(found.count == projects.count && staff.count == 40)
            container.statementLog.start()
            let lead = try context.fetchMembers(\.members, of: found, request)
            #expect(container.statementLog.count == 2)
            for (project, members) in lead {
                let number = try #require(Int(project.title.dropFirst()))
                #expect(members.map(\.firstName) == [String(format: "e%03d", number + 2)])
                #expect(members.first?.department?.name.isEmpty == false)
            }
            #expect(container.statementLog.count == 2)
            // One object stands for a row, whoever it is a member of.
            let employees = lead.flatMap(\.members)
            let others = try context.fetchMembers(\.projects, of: employees, sortedBy: .ascending(\.title))
            #expect(others.flatMap(\.members).allSatisfy { found.contains($0) })
        }
    }

    @Test func byNameAndWithoutOwners() async throws {
        try await withCompany { context, container in
            let departments: [ManagedObject] = try context.fetch("Department", sortedBy: .key("name"))
            var request = FetchRequest<ManagedObject>()
            request.sortDescriptors = [.key("firstName")]
            request.fetchLimit = 1
            request.includesPropertyValues = false
            let twice = departments + departments
            let first = try context.fetchMembers("employees", of: twice, request)
            #expect(first.count == 5)
            #expect(first.allSatisfy { $0.members.count == 1 && $0.members[0].isFault })
            container.statementLog.start()
            let none = try context.fetchMembers(\Department.employees, of: [], limit: 3)
            #expect(none.isEmpty && container.statementLog.count == 0)
            let new = Department(context: context)
            let empty = try context.fetchMembers(\.employees, of: [new], limit: 3)
            #expect(empty[new].isEmpty)
        }
    }

    @Test func whatDoesNotFitTheModelIsAClearError() async throws {
        try await withTestStore(Garden.model()) { container in
            try await container.perform { context in
                let (plant, bed) = (context.insert("Plant"), context.insert("Bed"))
                func message(
                    _ name: String, of owner: ManagedObject, _ request: FetchRequest<ManagedObject> = .init()
                ) -> String {
                    do {
                        _ = try context.fetchMembers(name, of: [owner], request)
                        return ""
                    } catch {
                        return (error as? FetchError)?.message ?? "\(error)"
                    }
                }
                var locked = FetchRequest<ManagedObject>()
                locked.rowLock = .init(.update)
                var wrong = FetchRequest<ManagedObject>()
                wrong.predicate = .format("bed.nmber > 1")
                var negative = FetchRequest<ManagedObject>()
                negative.fetchLimit = -1
                let cases: [(String, [String])] = [
                    (message("plant", of: bed), ["Bed has no relationship 'plant'", "'plants'"]),
                    (message("number", of: bed), ["Bed.number", "attribute"]),
                    (message("bed", of: plant), ["Plant.bed", "to-one relationship"]),
                    (message("dreamers", of: plant), ["Plant.dreamers", "transient"]),
                    (
                        message("plants", of: bed, FetchRequest(entityName: "Bed")),
                        ["refers to Plant", "for Bed"]
                    ),
                    (message("plants", of: bed, FetchRequest(entityName: "Plnt")), ["'Plnt'", "'Plant'"]),
                    (message("plants", of: bed, locked), ["row lock"]),
                    (message("plants", of: bed, wrong), ["nmber"]),
                    (message("plants", of: bed, negative), ["fetchLimit"]),
                ]
                for (message, parts) in cases {
                    for part in parts { #expect(message.contains(part), "\(message) lacks \(part)") }
                }
            }
        }
        try await withCompany { context, _ in
            #expect(throws: FetchError.self) {
                _ = try context.fetchMembers("staff", of: [Department](), FetchRequest<Employee>())
            }
        }
    }

    @Test func moreThanTheBudgetIsRefused() async throws {
        var options = StoreOptions()
        options.cohortRowLimit = 10
        try await withCompany(options) { context, _ in
            let departments = try context.fetch(Department.self)
            let error = #expect(throws: FetchError.self) {
                _ = try context.fetchMembers(\.employees, of: departments, limit: 3)
            }
            #expect(error?.code == .tooManyRows)
            let fitting = try context.fetchMembers(\.employees, of: departments, limit: 2)
            #expect(fitting.flatMap(\.members).count == 10)
        }
    }

    /// No member is read that is not returned.
    @Test func anIndexHasTheOrder() async throws {
        let post = EntityDescription(
            "Post", properties: [.relationship("comments", to: "Comment", inverse: "post", toMany: true)])
        let comment = EntityDescription(
            "Comment",
            properties: [
                .attribute("writtenAt", .date), .relationship("post", to: "Post", inverse: "comments"),
            ],
            fetchIndexes: [
                FetchIndexDescription(
                    "latest",
                    elements: [FetchIndexElement("post"), FetchIndexElement("writtenAt", ascending: false)])
            ])
        let model = try ManagedObjectModel(entities: [post, comment])
        try await withTestDatabase(for: model) { database in
            let container = try await PersistentContainer.open(database.url, model: model)
            let layouts = container.store.layouts
            let owner = try #require(layouts.layout(named: "Post"))
            let layout = try #require(layouts.layout(named: "Comment"))
            var request = FetchRequest<ManagedObject>(entityName: "Comment")
            request.sortDescriptors = [.key("writtenAt", ascending: false)]
            let statement = MemberFetchStatement(
                try RenderedFetch(request, layout: layout, layouts: layouts.entities),
                along: owner.relationship(try #require(owner.slotsByName["comments"])),
                selection: layouts.selection(of: layout), of: [1, 2, 3], isListed: false, limit: 3, offset: 0,
                atMost: 100)
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            try connection.executeScript(
                """
                INSERT INTO post DEFAULT VALUES; INSERT INTO post DEFAULT VALUES; INSERT INTO post DEFAULT VALUES;
                INSERT INTO comment (post, written_at)
                SELECT 1 + i % 3, now() - i * interval '1 s' FROM generate_series(1, 6000) i;
                ANALYZE comment;
                """)
            let result = try connection.query(
                "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) " + statement.sql, statement.parameters,
                cached: false)
            let plan = (0..<result.rowCount).map { result.row($0)[0].string() }
            let scan = try #require(plan.first { $0.contains("Scan") && $0.contains("comment") }, "\(plan)")
            #expect(scan.contains("Index Scan"), "\(plan)")
            #expect(plan.allSatisfy { !$0.contains("rows=2000") }, "\(plan)")
            await container.close(drainingFor: .seconds(5))
        }
    }

    @Test func theTextStopsAtTheLimit() throws {
        let model = try Company.model()
        let layouts = try StoreLayout(model: model, schema: StoreSchema(model), storeIdentifier: UUID())
        let layout = try #require(layouts.layout(named: "Employee"))
        let owner = try #require(layouts.layout(named: "Department"))
        let relationship = owner.relationship(try #require(owner.slotsByName["employees"]))
        func sql(_ limit: Int) throws -> String {
            var request = FetchRequest<Employee>()
            request.predicate = .format("visits > 3")
            request.sortDescriptors = [.descending(\.firstName)]
            return MemberFetchStatement(
                try RenderedFetch(request, layout: layout, layouts: layouts.entities), along: relationship,
                selection: layouts.identities(of: layout), of: [1, 2], isListed: false, limit: limit,
                offset: 0,
                atMost: 100
            ).sql
        }
        let cut = try sql(3)
        #expect(
            cut.contains("FROM pg_catalog.unnest($2::pg_catalog.int8[]) AS o(key) CROSS JOIN LATERAL (SELECT")
        )
        #expect(cut.contains("= o.key ORDER BY") && cut.hasSuffix("LIMIT $3) AS m LIMIT $4"))
        let whole = try sql(0)
        #expect(!whole.contains("LATERAL") && whole.contains("= ANY($2) ORDER BY"))
    }
}
