import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Whatever the relationship, the request and the unsaved changes: what is found for each owner is what a plain fetch for
/// it finds after the save.
@Suite(.timeLimit(.minutes(60))) struct MemberFetchWalkTests {
    /// One of them has a deleted member in a changed list.
    private static let seeds: [UInt64] = TestTier.choose(
        quick: Array(0..<2) + [54], all: Array(0..<8) + [54], nightly: Array(0..<150))

    /// Relationships by owner, with the predicate that holds for the members of `$owner`; nil without an inverse.
    private static let relationships: [(entity: String, name: String, members: String?)] = [
        ("Plant", "children", "parent == %@"), ("Plant", "links", "ANY linkedBy == %@"),
        ("Plant", "linkedBy", "ANY links == %@"), ("Plant", "friends", "ANY friends == %@"),
        ("Plant", "likes", nil), ("Plant", "rivals", "ANY rivals == %@"), ("Plant", "beds", nil),
        ("Bed", "plants", "bed == %@"), ("Bed", "guests", "ANY beds == %@"),
        ("Bed", "shown", "ANY shows == %@"),
        ("Bed", "picks", nil), ("Bed", "sampled", nil),
    ]

    private struct Question {
        let place: Int
        let request: FetchRequest<ManagedObject>
    }

    @Test(arguments: seeds) func eachOwnerHasWhatAPlainFetchFinds(seed: UInt64) async throws {
        try await withTestStore(Garden.model()) { container in
            try await container.perform { context in
                var walk = GardenWalk(context, seed: seed)
                for _ in 0..<12 { walk.create(walk.random.pick(["Plant", "Tree"])) }
                for _ in 0..<4 { walk.create("Bed") }
                for _ in 0..<120 { walk.change() }
                try context.save()
            }
            try await container.perform { context in
                context.propagatesDeletesAtEndOfEvent = true
                var walk = GardenWalk(context, seed: seed + 1000)
                walk.objects = try context.fetch("Plant") + context.fetch("Bed")
                walk.lastNumber = 1000
                if seed % 4 > 0 {
                    for _ in 0..<25 { walk.change(deleting: true) }
                    context.processPendingChanges()
                }
                let owners = walk.living
                let questions = (0..<40).map { _ in Self.question(&walk.random) }
                let before = try questions.map { try Self.answer($0, owners, context) }
                try context.throwFailure()
                let stored = try questions.map { question in
                    var request = question.request
                    request.includesPendingChanges = false
                    return try Self.answer(Question(place: question.place, request: request), owners, context)
                }
                let differing = before.indices.count { before[$0] != stored[$0] }
                #expect(seed % 4 == 0 ? differing == 0 : differing > 5, "\(differing)")
                try context.save()
                let after = try questions.map { try Self.answer($0, owners, context) }
                let numbers = Self.numbers(owners)
                context.reset()
                for (index, question) in questions.enumerated() {
                    let expected = try Self.expected(question, numbers, context)
                    let text = "seed \(seed), \(Self.relationships[question.place].name), \(question.request)"
                    #expect(before[index] == expected, "\(text)")
                    #expect(after[index] == expected, "saved, \(text)")
                }
                #expect(before.joined().contains { !$0.value.isEmpty })
            }
        }
    }

    private static func question(_ random: inout SeededGenerator) -> Question {
        let place = Int.random(in: relationships.indices, using: &random)
        let isOfBeds = relationships[place].name == "beds"
        var request = FetchRequest<ManagedObject>()
        if isOfBeds {
            request.predicate = random.chance(50) ? .format("number > 2") : .format("plants.@count > 1")
        } else {
            if random.chance(20) { request.entityName = random.pick(["Plant", "Tree"]) }
            if random.chance(15) { request.includesSubentities = false }
            request.predicate = random.pick([
                nil, nil, .format("value > 40"), .format("NOT (value > 40)"), .format("note CONTAINS '3'"),
                .format("bed.number > 3"), .format("children.@count > 0"), .format("ANY links.value > 50"),
                .format("parent.value < 60 OR bed == nil"), .format("parent.bed.number > 2"),
            ])
        }
        let sorts: [[SortKey<ManagedObject>]] =
            isOfBeds
            ? [[], [.key("number", ascending: false)]]
            : [
                [], [], [.key("value")], [.key("bed.number", ascending: false), .key("note")],
                [.key("number")],
            ]
        request.sortDescriptors = random.pick(sorts)
        request.fetchLimit = random.pick([0, 1, 2, 3, 5])
        request.fetchOffset = random.pick([0, 0, 0, 1, 2])
        return Question(place: place, request: request)
    }

    private static func number(_ object: ManagedObject) -> Int64 { object["number"] as? Int64 ?? -1 }

    private static func numbers(_ objects: [ManagedObject]) -> [Int64] { objects.map(number) }

    private static func answer(
        _ question: Question, _ objects: [ManagedObject], _ context: ManagedObjectContext
    ) throws -> [Int64: [Int64]] {
        let (entity, name, _) = relationships[question.place]
        let owners = objects.filter { ($0.entityName == "Bed") == (entity == "Bed") }
        let found = try context.fetchMembers(name, of: owners, question.request)
        return Dictionary(uniqueKeysWithValues: found.map { (number($0.owner), numbers($0.members)) })
    }

    /// What plain fetches and the collections of a context without changes say.
    private static func expected(
        _ question: Question, _ owners: [Int64], _ context: ManagedObjectContext
    ) throws -> [Int64: [Int64]] {
        let (entity, name, members) = relationships[question.place]
        let isOrdered = Garden.ordered.contains(name) || name == "rivals"
        var request = question.request
        if request.entityName == nil { request.entityName = name == "beds" ? "Bed" : "Plant" }
        (request.fetchLimit, request.fetchOffset) = (0, 0)
        let matching = numbers(try context.fetch(request))
        var expected: [Int64: [Int64]] = [:]
        for owner in try context.fetch(entity) where owners.contains(number(owner)) {
            var found: [Int64]
            if isOrdered, request.sortDescriptors.isEmpty {
                found = owner.orderedMembers(forKey: name).map(number).filter(matching.contains)
            } else {
                let known = Set(owner.members(forKey: name).map(number))
                found = matching.filter(known.contains)
                if let members {
                    var plain = request
                    let belongs = PredicateTree.format(members, owner.objectID)
                    plain.predicate = plain.predicate.map { .and([$0, belongs]) } ?? belongs
                    #expect(numbers(try context.fetch(plain)) == found)
                }
            }
            found = Array(question.request.cut(found))
            expected[number(owner)] = found
        }
        return expected
    }
}
