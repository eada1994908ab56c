import DeclaredModels
import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Rows with unique values that the store has already.
@Suite struct BatchUpsertTests {
    private static func picture(_ container: PersistentContainer) async throws -> [String] {
        try await container.perform { context in
            try context.fetch(Department.self, sortedBy: .key("name")).map {
                "\($0.name) \($0.budget) \($0.head?.firstName ?? "-")"
            }
        }
    }

    /// What a save of new objects with the policy makes of a store, a batch insertion makes of it too.
    @Test(arguments: [
        MergePolicy.MergeType.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
    ])
    func thePolicyIsThatOfSaves(type: MergePolicy.MergeType) async throws {
        var pictures: [[String]] = []
        for isBatch in [false, true] {
            try await CompanyStore.with { store in
                let container = store.container
                let head = try await container.perform { context in
                    let (old, new) = (Employee(context: context), Employee(context: context))
                    (old.firstName, new.firstName) = ("old", "new")
                    for name in ["A", "B", "C", "D"] {
                        let department = Department(context: context)
                        (department.name, department.budget) = (name, 7)
                        if name == "A" { department.head = old }
                    }
                    try context.save()
                    return new.objectID
                }
                // Named or not, there or not.
                let rows: [[String: (any Sendable)?]] = [
                    ["name": "A", "budget": 9], ["name": "B"], ["name": "C", "budget": 1],
                    ["name": "D", "head": head], ["name": "E", "budget": 5],
                ]
                if isBatch {
                    let result = try await container.insert(
                        into: Department.self, uniqueness: type, result: .objectIDs, from: rows)
                    #expect(result.insertedCount == 1 && result.insertedObjectIDs.count == 1)
                    #expect(result.updatedObjectIDs.count == result.updatedCount)
                    let touched: [MergePolicy.MergeType: Int] = [
                        .mergeByPropertyStoreTrump: 1, .mergeByPropertyObjectTrump: 4, .overwrite: 4,
                        .rollback: 0,
                    ]
                    #expect(result.updatedCount == touched[type])
                } else {
                    try await container.perform { context in
                        context.mergePolicy = MergePolicy(merge: type)
                        for row in rows {
                            let department = Department(context: context)
                            for (name, value) in row {
                                if let id = value as? ObjectID<Employee> {
                                    department.head = context.object(with: id)
                                } else {
                                    department.setValue(value, forKey: name)
                                }
                            }
                        }
                        try context.save()
                    }
                }
                pictures.append(try await Self.picture(container))
            }
        }
        #expect(pictures[0] == pictures[1])
    }

    @Test func chunksAreOneStatementEachAndVersionsGrow() async throws {
        try await withTestStore(Company.model()) { container in
            let handle = container.newBackgroundContext()
            try await container.insert(into: Department.self, from: [["name": "d0"], ["name": "d1"]])
            try await handle.perform { context in
                for department in try context.fetch(Department.self) { department.budget = 100 }
            }
            container.statementLog.start()
            let rows = (0..<2_500).map { ["name": "d\($0)", "budget": $0] as [String: any Sendable] }
            let result = try await container.insert(
                into: Department.self, uniqueness: .mergeByPropertyObjectTrump, from: rows)
            #expect(container.statementLog.count == 3)
            #expect(result.insertedCount == 2_498 && result.updatedCount == 2)
            #expect(result.count == 2_500 && result.objectIDs.isEmpty)
            try await handle.perform { context in
                let error = #expect(throws: SaveError.self) { try context.save() }
                #expect(error?.code == .conflict)
            }
        }
    }

    /// Of rows with the same values the last one wins, also where they name different properties.
    @Test func aSourceMayMeetItself() async throws {
        try await withTestStore(Company.model()) { container in
            let rows: [[String: any Sendable]] = [
                ["name": "a", "budget": 1], ["name": "b", "budget": 1], ["name": "a"],
                ["name": "a", "budget": 2],
                ["name": "b", "budget": 3], ["name": "b"],
            ]
            let result = try await container.insert(
                into: Department.self, uniqueness: .mergeByPropertyObjectTrump, result: .objectIDs, from: rows
            )
            #expect(result.insertedCount == 2 && Set(result.updatedObjectIDs).count <= 2)
            #expect(try await Self.picture(container) == ["a 2 -", "b 3 -"])
            let more = try await container.insert(
                into: Department.self, uniqueness: .rollback, from: rows + [["name": "c"], ["name": "c"]])
            #expect(more.count == 1)
        }
    }

    @Test func aNilThatIsNamedIsAValue() async throws {
        try await withTestStore(Company.model()) { container in
            let head = try await container.insert(
                into: Employee.self, result: .objectIDs, from: [["firstName": "e"]]
            ).objectIDs[0]
            for (value, picture) in [(head, "a 0 e"), (nil, "a 0 -")] as [(ObjectID<Employee>?, String)] {
                let row: [String: (any Sendable)?] = ["name": "a", "head": value]
                try await container.insert(
                    into: Department.self, uniqueness: .mergeByPropertyObjectTrump, from: [row])
                let pictures = try await Self.picture(container)
                #expect(pictures == [picture])
            }
        }
    }

    @Test func theContextsPolicyIsTheDefaultInAContext() async throws {
        try await withTestStore(Company.model()) { container in
            try await container.perform { context in
                let request = BatchInsertRequest(Department.self, objects: [["name": "a", "budget": 1]])
                try context.execute(request)
                #expect(throws: SaveError.self) { try context.execute(request) }
                context.mergePolicy = .overwrite
                try #expect(context.execute(request).updatedCount == 1)
            }
        }
    }

    @Test func severalConstraintsNeedAnArbiter() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "User",
                properties: [
                    .attribute(
                        "mail", .string, optional: false, caseInsensitive: true),
                    .attribute("number", .integer32, optional: false), .attribute("note", .string),
                ],
                uniquenessConstraints: [["mail"], ["number"]])
        ])
        try await withTestStore(model) { container in
            func insert(
                _ policy: MergePolicy.MergeType, by arbiter: [String], _ rows: [[String: any Sendable]]
            ) async throws -> Int {
                try await container.insert(
                    into: ManagedObject.self, entityName: "User", uniqueness: policy, arbiter: arbiter,
                    from: rows
                ).count
            }
            let row: [String: any Sendable] = ["mail": "Ada@x", "number": 1, "note": "a"]
            do {
                _ = try await insert(.overwrite, by: [], [row])
                Issue.record("no arbiter was needed")
            } catch let error as FetchError {
                #expect(error.message.contains("arbiter: [\"mail\"] or [\"number\"]"))
            }
            await #expect(throws: FetchError.self) { try await insert(.overwrite, by: ["note"], [row]) }
            #expect(try await insert(.rollback, by: [], [row, row]) == 1)
            // Texts that differ by case are the same, in the store and in the source.
            let rows: [[String: any Sendable]] = [
                ["mail": "ADA@X", "number": 2, "note": "b"], ["mail": "ada@x", "number": 3, "note": "c"],
            ]
            #expect(try await insert(.overwrite, by: ["mail"], rows) == 2)
            let error = await #expect(throws: SaveError.self) {
                try await insert(
                    .overwrite, by: ["mail"], [["mail": "b", "number": 9], ["mail": "c", "number": 3]])
            }
            #expect(error?.code == .uniqueness && error?.issues.first?.propertyName == "number")
            #expect(error?.issues.first?.row == 2)
            try await container.perform { context in
                let users = try context.fetch("User")
                #expect(users.count == 1)
                #expect(users.first?["mail"] as? String == "ada@x" && users.first?["note"] as? String == "c")
            }
        }
    }

    @Test func aRowOfAnotherEntityIsNeverChanged() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Thing", properties: [.attribute("code", .string), .attribute("n", .integer16)],
                uniquenessConstraints: [["code"]]),
            EntityDescription("Tool", superentity: "Thing", properties: [.attribute("size", .integer16)]),
        ])
        try await withTestStore(model) { container in
            try await container.insert(
                into: ManagedObject.self, entityName: "Tool",
                from: [["code": "t", "n": 1], ["n": 2], ["n": 2]])
            for policy in [
                MergePolicy.MergeType.overwrite, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump,
            ] {
                let error = await #expect(throws: SaveError.self) {
                    try await container.insert(
                        into: ManagedObject.self, entityName: "Thing", uniqueness: policy,
                        from: [["code": "u"], ["code": "t", "n": 5]])
                }
                #expect(error?.code == .uniqueness && error?.issues.first?.properties == ["code"])
                let same = try await container.insert(
                    into: ManagedObject.self, entityName: "Tool", uniqueness: policy,
                    from: [["code": "t", "size": 3]])
                #expect(same.insertedCount == 0)
            }
            let numbers = try await container.perform { try $0.fetch("Thing").map { $0["n"] as? Int64 } }
            #expect(numbers.count == 3)
        }
    }

    @Test func rowsWithArraysAndDerivedAttributesMeetRowsToo() async throws {
        try await withTestStore(DeclaredStaff.ledger()) { container in
            for title in ["Édition", "édition"] {
                for _ in 0..<2 {
                    try await container.insert(
                        into: Book.self, uniqueness: .overwrite, from: [["title": title, "year": 2000]])
                }
            }
            try await container.perform { context in
                let books = try context.fetch(Book.self)
                #expect(books.map(\.titleKey) == ["edition", "edition"] && books.map(\.size) == [0, 0])
            }
        }
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Tag",
                properties: [.attribute("name", .string), .attribute("words", .array(of: .string))],
                uniquenessConstraints: [["name"]])
        ])
        try await withTestStore(model) { container in
            for round in 0..<2 {
                let result = try await container.insert(
                    into: ManagedObject.self, entityName: "Tag", uniqueness: .mergeByPropertyObjectTrump,
                    from: (0..<250).map {
                        ["name": "t\($0)", "words": ["a\(round)", "b"]] as [String: any Sendable]
                    })
                #expect(result.updatedCount == (round == 0 ? 0 : 250))
            }
            try await container.perform { context in
                let words = try context.fetch("Tag").map { $0["words"] as? [String] }
                #expect(words.count == 250 && words.allSatisfy { $0 == ["a1", "b"] })
            }
        }
    }

    @Test(arguments: [MergePolicy.MergeType.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump])
    func rowsThatNameDifferentPropertiesShareAStatement(policy: MergePolicy.MergeType) async throws {
        try await withTestStore(MailJob.model()) { container in
            try await container.insert(
                into: MailJob.self,
                from: (1...5).map {
                    ["code": "\($0)", "title": "t", "number": 1, "note": $0 < 4 ? "old" : nil]
                })
            container.statementLog.start()
            let result = try await container.insert(
                into: MailJob.self, uniqueness: policy, arbiter: ["code"], result: .objectIDs,
                from: [
                    ["code": "5", "title": "t", "note": "new"], ["code": "1", "title": "t", "number": 5],
                    ["code": "2", "title": "t", "note": "new"], ["code": "3", "title": "t", "note": nil],
                    ["code": "4", "title": "t"], ["code": "6", "title": "t", "note": "new"],
                ])
            let sent = container.statementLog.statements.filter { $0.sql.contains("INSERT INTO") }
            #expect(sent.count == 1)
            let jobs = try await container.perform { context in
                try context.fetch(MailJob.self, sortedBy: .ascending(\.code)).map {
                    "\($0.code ?? "") \($0.number) \($0.note ?? "-") \($0.version?.description ?? "")"
                }
            }
            #expect(result.insertedCount == 1)
            if policy == .mergeByPropertyObjectTrump {
                let all = ["1 5 old r2", "2 1 new r2", "3 1 - r2", "4 1 - r2", "5 1 new r2", "6 0 new r1"]
                #expect(jobs == all && result.updatedCount == 5 && result.skippedCount == 0)
            } else {
                let all = ["1 1 old r1", "2 1 old r1", "3 1 old r1", "4 1 - r1", "5 1 new r2", "6 0 new r1"]
                #expect(jobs == all && result.updatedCount == 1 && result.skippedCount == 4)
            }
        }
    }
}
