import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

/// Both rows of a one-to-one that is its own inverse say the same, whatever a policy decides about one of them.
@Suite struct OwnInverseMergeTests {
    /// Pairs before, and what the two contexts set; nil for nothing.
    struct Case: Sendable, CustomTestStringConvertible {
        let pairs: [(Int, Int)]
        let mine: (Int, Int?)
        let theirs: (Int, Int?)
        var testDescription: String { "\(pairs), mine \(mine), theirs \(theirs)" }
    }

    static let cases = [
        Case(pairs: [(0, 1)], mine: (0, 2), theirs: (1, 3)),
        Case(pairs: [(0, 1)], mine: (0, 2), theirs: (0, 3)),
        Case(pairs: [(0, 1)], mine: (0, nil), theirs: (0, 3)),
        Case(pairs: [(0, 1)], mine: (0, 2), theirs: (0, nil)),
        Case(pairs: [], mine: (0, 1), theirs: (1, 2)),
        Case(pairs: [(0, 1), (2, 3)], mine: (0, 2), theirs: (1, 3)),
        Case(pairs: [(0, 1), (2, 3)], mine: (0, 2), theirs: (0, 3)),
        Case(pairs: [(0, 1), (2, 3)], mine: (0, 3), theirs: (2, nil)),
    ]

    @Test(arguments: cases, [false, true]) func bothSidesAgree(_ given: Case, hasReadAll: Bool) async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Person",
                properties: [
                    .attribute("name", .string, optional: false),
                    .relationship("buddy", to: "Person", inverse: "buddy"),
                ])
        ])
        let types: [MergePolicy.MergeType] = [
            .mergeByPropertyObjectTrump, .overwrite, .mergeByPropertyStoreTrump, .rollback,
        ]
        for type in types {
            try await withTestStore(model) { container in
                try await container.perform { context in
                    let people = "ABCD".map { name in
                        let person = context.insert("Person")
                        person["name"] = String(name)
                        return person
                    }
                    for (one, other) in given.pairs { people[one]["buddy"] = people[other] }
                    try context.save()
                }
                let handle = container.newBackgroundContext()
                try await handle.perform { context in
                    context.mergePolicy = MergePolicy(merge: type)
                    let people = try Self.people(context)
                    if hasReadAll { for person in people { _ = person["buddy"] } }
                    for (place, person) in people.enumerated() where place == given.mine.0 {
                        _ = person["buddy"]
                    }
                }
                try await container.perform { try Self.set(given.theirs, $0) }
                let (saved, seen) = try await handle.perform { context in
                    do {
                        try Self.set(given.mine, context)
                    } catch let error as SaveError where error.code == .uniqueness {
                        // The partner that both want is told, and nothing is stored.
                        context.rollback()
                        return (false, [String]())
                    }
                    return (true, try Self.text(context))
                }
                let stored = try await container.perform { context in
                    for person in try Self.people(context) {
                        let buddy = person["buddy"] as? ManagedObject
                        #expect(
                            buddy.map { ($0["buddy"] as? ManagedObject) === person } ?? true,
                            "\(type), \(given.testDescription): \(person["name"] ?? "")")
                    }
                    return try Self.text(context)
                }
                if saved { #expect(seen == stored, "\(type), \(given.testDescription)") }
            }
        }
    }

    private static func people(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        try context.fetch("Person", sortedBy: .key("name"))
    }

    private static func set(_ pair: (Int, Int?), _ context: ManagedObjectContext) throws {
        let people = try people(context)
        people[pair.0]["buddy"] = pair.1.map { people[$0] }
        try context.save()
    }

    private static func text(_ context: ManagedObjectContext) throws -> [String] {
        try people(context).map { person in
            "\(person["name"] ?? "")-\((person["buddy"] as? ManagedObject)?["name"] ?? "nil")"
        }
    }
}
