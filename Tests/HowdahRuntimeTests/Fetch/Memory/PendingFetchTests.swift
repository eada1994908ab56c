import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// What a fetch finds with unsaved changes is what it finds once they are saved.
@Suite struct PendingFetchTests {
    private static let rounds = TestTier.choose(quick: 1, all: 6, nightly: 200)

    @Test func fetchesBeforeAndAfterTheSaveAgree() async throws {
        var (merged, left) = (0, 0)
        for seed in 0..<UInt64(Self.rounds) {
            let counts = try await withTestStore(ManagedObjectModel(Sample.self)) { container in
                let ids = try await container.perform { context in
                    var random = RandomValues(seed: seed)
                    let objects = Self.samples(30, in: context, &random)
                    for object in objects where random.generator.chance(60) {
                        object.owner = random.generator.pick(objects)
                    }
                    try context.save()
                    return objects.map(\.objectID)
                }
                return try await container.perform { context in
                    var random = RandomValues(seed: seed + 1000)
                    try Self.change(ids, in: context, &random)
                    let requests = Self.requests(60, ids: ids, seed: seed)
                    let before = try requests.map { try context.fetch($0) }
                    let counted = try requests.map { try context.count(for: $0) }
                    let news = context.insertedObjects.count
                    let merged = before.joined().count { $0.isInserted || $0.isUpdated }
                    try context.save()
                    for (place, request) in requests.enumerated() {
                        let after = try context.fetch(request)
                        #expect(
                            before[place] == after,
                            "seed \(seed), request \(place): \(request)\nkeys \(before[place].map(\.key)), stored \(after.map(\.key))"
                        )
                        #expect(counted[place] == after.count, "seed \(seed), count \(place): \(request)")
                    }
                    #expect(news > 0)
                    return (merged, before.joined().count - merged)
                }
            }
            merged += counts.0
            left += counts.1
        }
        #expect(
            merged > Self.rounds * 50 && left > Self.rounds * 50, "\(merged) of memory, \(left) of the store")
    }

    private static func samples(
        _ count: Int, in context: ManagedObjectContext, _ random: inout RandomValues
    ) -> [Sample] {
        (0..<count).map { _ in
            let object = Sample(context: context)
            object.fill(&random)
            return object
        }
    }

    private static func change(
        _ ids: [ObjectID<Sample>], in context: ManagedObjectContext, _ random: inout RandomValues
    ) throws {
        let news = samples(5, in: context, &random)
        let (gone, kept) = (ids.prefix(4), ids.dropFirst(4))
        for id in kept.prefix(6) { context.object(with: id).fill(&random) }
        let all = news + kept.map { context.object(with: $0) }
        for object in news where random.generator.chance(60) { object.owner = random.generator.pick(all) }
        for id in kept.dropFirst(4).prefix(6) {
            context.object(with: id).owner = random.generator.chance(30) ? nil : random.generator.pick(all)
        }
        for id in gone { context.delete(context.object(with: id)) }
    }

    private static func requests(_ count: Int, ids: [ObjectID<Sample>], seed: UInt64) -> [FetchRequest<
        Sample
    >] {
        let references = ids.map { Value.reference(ObjectReference(key: $0.key, entity: "Sample")) }
        var trees = RandomSamplePredicates(seed: seed + 2000, objectIDs: references)
        var random = RandomValues(seed: seed + 3000)
        let names = [
            "i16", "oI32", "dec", "oDec", "dbl", "oFlt", "str", "oStr", "oFlag", "oDate", "oBin", "oUid",
            "url",
            "box.width", "place.spot.y", "owner", "owner.oStr", "owner.owner.oI64", "owner.place.name",
        ]
        return (0..<count).map { _ in
            var request = FetchRequest<Sample>()
            if random.generator.chance(80) { request.predicate = trees.tree() }
            request.sortDescriptors = (0..<random.generator.pick([0, 1, 1, 2])).map { _ in
                SortKey(keyPath: random.generator.pick(names), ascending: random.generator.chance(50))
            }
            request.fetchLimit = random.generator.pick([0, 0, 1, 3, 10])
            request.fetchOffset = random.generator.pick([0, 0, 1, 4])
            return request
        }
    }

    /// Links, one-to-ones on both sides, and a family of entities.
    @Test(arguments: [
        "department.name == 'B'", "department.budget > 5", "department == nil", "ANY projects.title == 'P'",
        "projects.@count == 1", "NONE projects.title == 'Q'", "heads != nil", "heads.name == 'A'",
        "department.head.firstName == 'Cy'", "ANY department.employees.firstName == 'New'",
        "department.employees.@count >= 2",
        "department.head == nil",
    ])
    func relationshipsCountAsTheyAreHere(format: String) async throws {
        try await CompanyStore.with { store in
            let ids = try await store.container.perform { context in
                let departments = ["A", "B", "C"].map { name in
                    let department = Department(context: context)
                    (department.name, department.budget) = (name, 1)
                    return department
                }
                let projects = ["P", "Q"].map { title in
                    let project = Project(context: context)
                    project.title = title
                    return project
                }
                let people = ["Ada", "Bob", "Cy", "Dee", "Eve"].enumerated().map { place, name in
                    let person = Employee(context: context)
                    person.firstName = name
                    person.department = departments[place % 3]
                    if place < 4 { person.projects.insert(projects[place % 2]) }
                    return person
                }
                (departments[0].head, departments[1].head) = (people[0], people[1])
                try context.save()
                return (
                    departments.map(\.objectID), projects.map(\.objectID), people.map(\.objectID)
                )
            }
            try await store.container.perform { context in
                let (departments, projects, people) = (
                    ids.0.map { context.object(with: $0) }, ids.1.map { context.object(with: $0) },
                    ids.2.map { context.object(with: $0) }
                )
                departments[1].budget = 10
                people[2].department = nil
                departments[0].head = people[2]
                departments[1].head = nil
                people[3].department = departments[1]
                people[4].projects.insert(projects[0])
                people[0].projects.remove(projects[0])
                let new = Employee(context: context)
                new.firstName = "New"
                new.department = departments[0]
                new.projects.insert(projects[1])
                context.delete(people[1])

                var request = FetchRequest<Employee>()
                request.predicate = .format(format)
                request.sortDescriptors = [.key("department.name", ascending: false), .key("firstName")]
                let (before, count) = (try context.fetch(request), try context.count(for: request))
                try context.save()
                let after = try context.fetch(request)
                #expect(before == after && count == after.count)
                #expect(!after.isEmpty && after.count < 5)
            }
        }
    }

    @Test func statementsAreOneMoreOnlyWhereAPathCrosses() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(5)
            let department = try await store.container.perform { context in
                let department = Department(context: context)
                department.name = "A"
                context.object(with: ids[1]).department = department
                try context.save()
                return department.objectID
            }
            let handle = store.container.newBackgroundContext()
            // Nothing pending, or nothing that the request reads.
            try await expectStatements(1, on: store.container) {
                try await handle.perform { context in
                    _ = try context.fetch(Employee.self, sortedBy: .key("firstName"))
                }
            }
            try await handle.perform { context in
                Employee(context: context).firstName = "E2½"
                context.object(with: ids[0]).firstName = "E9"
                context.delete(context.object(with: ids[3]))
            }
            try await expectStatements(1, on: store.container) {
                let names = try await handle.perform { context in
                    try context.fetch(Employee.self, sortedBy: .key("firstName"), limit: 3, offset: 1)
                        .map(\.firstName)
                }
                #expect(names == ["E2", "E2½", "E4"])
            }
            try await expectStatements(1, on: store.container) {
                let count = try await handle.perform { context in
                    try context.count(Employee.self, matching: .format("firstName > 'E2'"))
                }
                #expect(count == 3)
            }
            try await handle.perform { context in context.object(with: department).name = "Z" }
            // The rows, and those whose department changed.
            try await expectStatements(2, on: store.container) {
                let names = try await handle.perform { context in
                    try context.fetch(Employee.self, matching: .format("department.name == 'Z'")).map(
                        \.firstName)
                }
                #expect(names == ["E1"])
            }
            // What is changed is not what this reads.
            try await expectStatements(1, on: store.container) {
                try await handle.perform { context in
                    context.rollback()
                    context.object(with: department).budget = 3
                    _ = context.object(with: department).name
                }
                try await handle.perform { context in
                    var request = FetchRequest<Employee>()
                    request.predicate = .format("department.name == 'A'")
                    try #expect(PendingFetch(request, of: context.layout(for: request), in: context) == nil)
                }
            }
        }
    }

    @Test func theStoreAloneIsAskedWhereThatIsWanted() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(3)
            try await store.container.perform { context in
                context.delete(context.object(with: ids[0]))
                context.object(with: ids[1]).firstName = "Z"
                Employee(context: context).firstName = "E1"
                var request = FetchRequest<Employee>()
                request.predicate = .format("firstName < 'E2'")
                try #expect(context.fetch(request).map(\.firstName) == ["E1"])
                request.includesPendingChanges = false
                try #expect(context.fetch(request).map(\.objectID) == Array(ids.prefix(2)))
                try #expect(context.count(for: request) == 2)
                context.rollback()
            }
        }
    }

    @Test func newObjectsComeLastInOrderOfInsertion() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(2)
            try await store.container.perform { context in
                let new = (0..<3).map { _ in Employee(context: context) }
                for object in new { object.firstName = "E0" }
                try context.obtainPermanentIDs(for: [new[2]])
                let found = try context.fetch(Employee.self, sortedBy: .key("firstName"))
                #expect(
                    found == [
                        context.object(with: ids[0]), new[2], new[0], new[1], context.object(with: ids[1]),
                    ])
                context.rollback()
            }
        }
    }

    @Test func cascadesCountWherePropagated() async throws {
        try await CompanyStore.with { store in
            try await store.container.perform { context in
                let department = Department(context: context)
                department.name = "A"
                for number in 0..<3 {
                    let room = Room(context: context)
                    (room.number, room.department) = (Int32(number), department)
                }
                try context.save()
                context.propagatesDeletesAtEndOfEvent = true
                context.delete(department)
                try #expect(context.fetch(Room.self).isEmpty)
                try #expect(context.count(Room.self) == 0)
                context.rollback()
                try #expect(context.count(Room.self) == 3)
            }
        }
    }

    @Test func textsWithoutCaseSortAsInTheStore() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription("User", properties: [.attribute("login", .string, caseInsensitive: true)])
        ])
        try await withTestStore(model) { container in
            try await container.perform { context in
                let logins = ["b", "A", "a", "Straße", "strasse", "STRASSE", "É", "é", "B", nil, "z"]
                for (place, login) in logins.enumerated() where place % 2 == 0 {
                    context.insert("User")["login"] = login
                }
                try context.save()
                for (place, login) in logins.enumerated() where place % 2 == 1 {
                    context.insert("User")["login"] = login
                }
                for isAscending in [true, false] {
                    let key = SortKey<ManagedObject>.key("login", ascending: isAscending)
                    let before = try context.fetch("User", sortedBy: key)
                    let some = try context.fetch(
                        "User", matching: .format("login BEGINSWITH 'STRAS'"), sortedBy: key)
                    #expect(before.count == 11 && some.count == 3)
                    if isAscending { continue }
                    try context.save()
                    try #expect(context.fetch("User", sortedBy: key) == before)
                    #expect(
                        try context.fetch("User", sortedBy: .key("login")).map { $0["login"] as? String }
                            == [nil, "A", "a", "B", "b", "STRASSE", "Straße", "strasse", "z", "É", "é"])
                }
            }
        }
    }
}
