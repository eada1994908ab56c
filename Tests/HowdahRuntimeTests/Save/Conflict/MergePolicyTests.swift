import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

/// Every policy against every combination of changes here and there.
@Suite struct MergePolicyTests {
    /// A property's change on each side: none, or to one of two values.
    struct Case: Sendable, CustomStringConvertible {
        let here: [Bool]
        let there: [Bool]
        var description: String { "here \(here) there \(there)" }
    }

    static let types: [MergePolicy.MergeType] = [
        .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
    ]
    /// In a quick run each property still meets all four.
    static let cases: [Case] = stride(
        from: 0, to: 64, by: TestTier.choose(quick: 5, all: 1, nightly: 1)
    ).map { bits in
        Case(
            here: (0..<3).map { bits & (1 << $0) != 0 }, there: (0..<3).map { bits & (8 << $0) != 0 })
    }

    /// What the table of ``MergePolicy`` says one property ends as.
    private func expected(_ type: MergePolicy.MergeType, here: Bool, there: Bool) -> String {
        switch type {
        case .mergeByPropertyStoreTrump: there ? "there" : here ? "here" : "read"
        case .mergeByPropertyObjectTrump: here ? "here" : there ? "there" : "read"
        case .overwrite: here ? "here" : "read"
        case .rollback: there ? "there" : "read"
        case .error: "read"
        }
    }

    /// Many writers of few rows, each of a property of its own: none gives up, and nothing is lost.
    @Test func disjointChangesAllArriveUnderContention() async throws {
        let (writers, saves, rows) = (6, 40, 4)
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Row",
                properties: (0..<writers).map {
                    .attribute("p\($0)", .integer64, optional: false, default: 0)
                })
        ])
        try await withStore(model) { container, sql in
            let ids = try await container.perform { context in
                let objects = (0..<rows).map { _ in context.insert("Row") }
                try context.save()
                return objects.map(\.objectID)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<writers {
                    group.addTask {
                        for save in 1...saves {
                            try await container.perform { context in
                                context.mergePolicy = .mergeByPropertyObjectTrump
                                for id in ids {
                                    try context.existingObject(with: id)["p\(writer)"] = Int64(save)
                                }
                                try context.save()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let sums = (0..<writers).map { "sum(p\($0))" }.joined(separator: " + ")
            #expect(try sql.value("SELECT (\(sums))::text FROM \"row\"") == "\(writers * saves * rows)")
        }
    }

    @Test(arguments: types) func theTableHoldsForAttributesAndToOnes(type: MergePolicy.MergeType) async throws
    {
        try await CompanyStore.with { store in
            let departments = try await departments(store)
            for one in Self.cases where one.there.contains(true) && one.here.contains(true) {
                let id = try await store.container.perform { context in
                    let person = Employee(context: context)
                    (person.firstName, person.lastName) = ("read", "read")
                    person.department = context.object(with: departments[0])
                    try context.save()
                    return person.objectID
                }
                try await store.container.perform { context in
                    context.mergePolicy = MergePolicy(merge: type)
                    let person = try context.existingObject(with: id)
                    try changeThere(store, id, departments[2], one.there)
                    if one.here[0] { person.firstName = "here" }
                    if one.here[1] { person.lastName = "here" }
                    if one.here[2] { person.department = context.object(with: departments[1]) }
                    try context.save()
                    #expect(!context.hasChanges)
                    let names = try departments.map { try context.existingObject(with: $0).name }
                    for (slot, value) in [person.firstName, person.lastName, person.department?.name]
                        .enumerated()
                    {
                        let wanted = expected(type, here: one.here[slot], there: one.there[slot])
                        #expect(value == wanted, "\(type) \(one) property \(slot)")
                    }
                    #expect(names == ["read", "here", "there"])
                    // The other side knows it too, and so do the store and the next context.
                    #expect(person.department?.employees.contains(person) == true)
                    let values = [person.firstName, person.lastName, person.department?.name]
                    context.refresh(person)
                    #expect([person.firstName, person.lastName, person.department?.name] == values)
                    person.lastName = "again"
                    try context.save()
                }
            }
        }
    }

    /// The same table, where the other side is a context in another process.
    @Test(arguments: types + [.error]) func theTableHoldsBetweenProcesses(type: MergePolicy.MergeType)
        async throws
    {
        try await CompanyStore.with { store in
            let departments = try await departments(store)
            let ids = try await store.hire(Self.cases.count)
            try await store.container.perform { context in
                let peer = try PeerProcess(url: store.url, model: store.container.model)
                for (one, id) in zip(Self.cases, ids) {
                    let person = try context.existingObject(with: id)
                    (person.firstName, person.lastName) = ("read", "read")
                    person.department = context.object(with: departments[0])
                    context.mergePolicy = .error
                    try context.save()
                    context.mergePolicy = MergePolicy(merge: type)
                    var there: [String] = []
                    if one.there[0] { there.append("firstName=there") }
                    if one.there[1] { there.append("lastName=there") }
                    if one.there[2] {
                        there.append("department=\(departments[2].uriRepresentation.absoluteString)")
                    }
                    try peer.change(id, there)
                    if one.here[0] { person.firstName = "here" }
                    if one.here[1] { person.lastName = "here" }
                    if one.here[2] { person.department = context.object(with: departments[1]) }
                    let isConflict = one.here.contains(true) && one.there.contains(true)
                    if type == .error, isConflict {
                        let error = #expect(throws: SaveError.self) { try context.save() }
                        #expect(error?.code == .conflict)
                        context.rollback()
                    } else {
                        try context.save()
                    }
                    #expect(!context.hasChanges)
                    context.refresh(person)
                    for (slot, value) in [person.firstName, person.lastName, person.department?.name]
                        .enumerated()
                    {
                        let (here, there) = (one.here[slot], one.there[slot])
                        let wanted =
                            switch (isConflict, type) {
                            case (true, .error): there ? "there" : "read"
                            case (true, _): expected(type, here: here, there: there)
                            // Only one side changed anything: nothing to decide.
                            case (false, _): here ? "here" : there ? "there" : "read"
                            }
                        #expect(value == wanted, "\(type) \(one) property \(slot)")
                    }
                }
                try peer.end()
            }
        }
    }

    /// Deletions of another process: of what is changed here, and of what a change leads to; and what is deleted here
    /// and changed there.
    @Test(arguments: types + [.error]) func theTableHoldsForDeletionsBetweenProcesses(
        type: MergePolicy.MergeType
    ) async throws {
        try await CompanyStore.with { store in
            let departments = try await departments(store)
            let ids = try await store.hire(3)
            let isOurs = type == .mergeByPropertyObjectTrump || type == .overwrite
            try await store.container.perform { context in
                let peer = try PeerProcess(url: store.url, model: store.container.model)
                let people = try ids.map { try context.existingObject(with: $0) }
                people[2].department = context.object(with: departments[0])
                try context.save()
                context.mergePolicy = MergePolicy(merge: type)
                func expectSave(_ code: SaveError.Code) throws {
                    if type == .error {
                        let error = #expect(throws: SaveError.self) { try context.save() }
                        #expect(error?.code == code)
                        context.rollback()
                    } else {
                        try context.save()
                    }
                    #expect(!context.hasChanges)
                }
                people[0].lastName = "here"
                try peer.delete(ids[0])
                try expectSave(.conflict)
                context.delete(people[1])
                try peer.change(ids[1], ["lastName=there"])
                try expectSave(.conflict)
                people[2].department = context.object(with: departments[1])
                try peer.delete(departments[1])
                try expectSave(.referentialIntegrity)
                try peer.end()
            }
            try #expect(store.storedNames() == (isOurs ? ["E0", "E2"] : ["E1", "E2"]))
            try await store.container.perform { context in
                let people = try context.fetch(Employee.self, sortedBy: .ascending(\.firstName))
                #expect(people.map(\.lastName) == (isOurs ? ["here", nil] : ["there", nil]))
                #expect(people[1].department?.name == (isOurs ? nil : "read"))
                #expect(try context.count(Department.self) == 2)
            }
        }
    }

    private func changeThere(
        _ store: CompanyStore, _ id: ObjectID<Employee>, _ department: ObjectID<Department>, _ there: [Bool]
    ) throws {
        let key = try #require(Int(id.uriRepresentation.lastPathComponent.drop { !$0.isNumber }))
        let other = try #require(Int(department.uriRepresentation.lastPathComponent.drop { !$0.isNumber }))
        var sets = ["_version = _version + 1"]
        if there[0] { sets.append("first_name = 'there'") }
        if there[1] { sets.append("last_name = 'there'") }
        if there[2] { sets.append("department = \(other)") }
        try store.execute("UPDATE employee SET \(sets.joined(separator: ", ")) WHERE _id = \(key)")
    }

    nonisolated(nonsending)
        private func departments(_ store: CompanyStore) async throws -> [ObjectID<Department>]
    {
        try await store.container.perform { context in
            let departments = ["read", "here", "there"].map { name in
                let department = Department(context: context)
                department.name = name
                return department
            }
            try context.save()
            return departments.map(\.objectID)
        }
    }

    @Test(arguments: types) func aRowDeletedElsewhere(type: MergePolicy.MergeType) async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                context.mergePolicy = MergePolicy(merge: type)
                let person = try context.existingObject(with: id)
                let project = Project(context: context)
                project.title = "P"
                try context.save()
                project.members.insert(person)
                person.lastName = "here"
                try store.execute("DELETE FROM employee")
                try context.save()
                let isOurs = type == .mergeByPropertyObjectTrump || type == .overwrite
                try #expect(store.storedNames() == (isOurs ? ["E0"] : []))
                #expect(person.isDeleted == !isOurs)
                #expect(project.members.objects == (isOurs ? [person] : []))
                guard isOurs else { return }
                #expect(person.objectID == id)
                person.lastName = "again"
                try context.save()
            }
        }
    }

    @Test(arguments: types) func aRowDeletedHereAndChangedElsewhere(type: MergePolicy.MergeType) async throws
    {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                context.mergePolicy = MergePolicy(merge: type)
                let person = try context.existingObject(with: id)
                context.delete(person)
                try store.execute("UPDATE employee SET first_name = 'there', _version = _version + 1")
                try context.save()
                let isOurs = type == .mergeByPropertyObjectTrump || type == .overwrite
                try #expect(store.storedNames() == (isOurs ? [] : ["there"]))
                #expect(person.isDeleted == isOurs && !context.hasChanges)
                if !isOurs { #expect(person.firstName == "there") }
            }
        }
    }

    @Test(arguments: types) func aRowDeletedOnBothSides(type: MergePolicy.MergeType) async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(2)
            try await store.container.perform { context in
                context.mergePolicy = MergePolicy(merge: type)
                for id in ids { context.delete(try context.existingObject(with: id)) }
                try store.execute("DELETE FROM employee WHERE first_name = 'E0'")
                try context.save()
                #expect(!context.hasChanges)
                try #expect(store.storedNames().isEmpty)
            }
        }
    }

    /// A subclass adds up what both sides did, on top of what the built-in way resolved.
    @Test func aSubclassDecidesByItself() async throws {
        final class Adding: MergePolicy {
            var seen: [(Int64, Int64)] = []
            override func resolve(optimisticLockingConflicts conflicts: [MergeConflict]) throws {
                for conflict in conflicts {
                    seen.append((conflict.oldVersion, conflict.newVersion))
                    // All three snapshots stay what they were, whatever resolving makes of the object.
                    try super.resolve(optimisticLockingConflicts: [conflict])
                    guard let employee = conflict.object as? Employee,
                        let mine = conflict.objectSnapshot["visits"] as? Int64,
                        let read = conflict.cachedSnapshot["visits"] as? Int64,
                        let theirs = conflict.persistedSnapshot?["visits"] as? Int64
                    else { continue }
                    employee.visits = Int(mine + theirs - read)
                }
            }
        }
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let policy = Adding(merge: .mergeByPropertyObjectTrump)
                context.mergePolicy = policy
                let person = try context.existingObject(with: id)
                person.visits += 5
                try store.execute("UPDATE employee SET visits = 30, _version = _version + 2")
                try context.save()
                #expect(person.visits == 35)
                #expect(policy.seen.map(\.0) == [1] && policy.seen.map(\.1) == [3])
                context.refresh(person)
                #expect(person.visits == 35)
            }
        }
    }

    /// No update is lost when contexts that all resolve in their favour write different properties of one row.
    @Test func writersOfDifferentPropertiesDoNotDisturbEachOther() async throws {
        try await CompanyStore.with(connections: 8) { store in
            let id = try await store.hire(1)[0]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for place in 0..<3 {
                    group.addTask {
                        for round in 1...10 {
                            try await store.container.perform { context in
                                context.mergePolicy = .mergeByPropertyObjectTrump
                                let person = try context.existingObject(with: id)
                                switch place {
                                case 0: person.firstName = "\(round)"
                                case 1: person.lastName = "\(round)"
                                default: person.visits = round
                                }
                                try context.save()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await store.container.perform { context in
                let person = try context.existingObject(with: id)
                #expect([person.firstName, person.lastName, "\(person.visits)"] == ["10", "10", "10"])
            }
        }
    }
}
