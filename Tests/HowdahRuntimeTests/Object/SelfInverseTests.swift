import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Relationships that are their own inverse: what A has of B, B has of A.
@Suite struct SelfInverseTests {
    private static let person = Circles.person(.nullify)

    /// Four people: a, b, c and d. a has the friends b and c; a and b, c and d are married.
    nonisolated(nonsending)
        private static func fill(_ container: PersistentContainer, _ entity: String = person) async throws
    {
        try await container.perform { context in
            let people = ["a", "b", "c", "d"].map { context.named($0, entity) }
            people[0].members(forKey: "friends").insert(people[1])
            people[2].members(forKey: "friends").insert(people[0])
            people[0]["spouse"] = people[1]
            people[3]["spouse"] = people[2]
            #expect(people[0].names("friends") == ["b", "c"] && people[1].names("friends") == ["a"])
            #expect(people[1]["spouse"] as? ManagedObject === people[0])
            try context.save()
        }
    }

    nonisolated(nonsending)
        private static func state(_ container: PersistentContainer, _ entity: String = person) async throws
        -> [String: String]
    {
        try await container.perform { context in
            Dictionary(
                uniqueKeysWithValues: try context.fetch(entity).map { person in
                    (
                        person["name"] as? String ?? "",
                        person.names("friends").joined() + "/"
                            + (person.value(forKey: "spouse.name") as? String ?? "-")
                    )
                })
        }
    }

    @Test func bothSidesAreOne() async throws {
        try await withTestStore(Circles.model()) { container in
            try await Self.fill(container)
            #expect(try await Self.state(container) == ["a": "bc/b", "b": "a/a", "c": "a/d", "d": "/c"])
            try await container.perform { context in
                let (a, b) = (try context.find("a", Self.person), try context.find("b", Self.person))
                // Not loaded, and from the other side.
                b.members(forKey: "friends").remove(a)
                b.members(forKey: "friends").insert(b)
                let d = try context.find("d", Self.person)
                #expect(!a.members(forKey: "friends").contains(b))
                d.members(forKey: "friends").replace(with: [a, b])
                #expect(a.names("friends") == ["c", "d"] && b.names("friends") == ["b", "d"])
                try context.save()
            }
            #expect(try await Self.state(container) == ["a": "cd/b", "b": "bd/a", "c": "a/d", "d": "ab/c"])
            let popular = try await container.perform { context in
                try context.fetch(
                    Self.person,
                    matching: PredicateTree(format: "ANY friends.name == 'a' OR spouse.name == 'a'")
                ).compactMap { $0["name"] as? String }.sorted()
            }
            #expect(popular == ["b", "c", "d"])
        }
    }

    @Test func couplesPartAndExchange() async throws {
        try await withTestStore(Circles.model()) { container in
            try await Self.fill(container)
            try await container.perform { context in
                let people = try ["a", "b", "c", "d"].map { try context.find($0, Self.person) }
                people[0]["spouse"] = people[2]
                #expect(people[1]["spouse"] == nil && people[3]["spouse"] == nil)
                people[1]["spouse"] = people[3]
                try context.save()
            }
            #expect(
                try await Self.state(container).mapValues { $0.suffix(1) } == [
                    "a": "c", "b": "d", "c": "a", "d": "b",
                ])
            try await container.perform { context in
                let (a, b) = (try context.find("a", Self.person), try context.find("b", Self.person))
                // One's own spouse, and no longer.
                a["spouse"] = a
                #expect(a["spouse"] as? ManagedObject === a)
                a["spouse"] = b
                #expect(a["spouse"] as? ManagedObject === b && b["spouse"] as? ManagedObject === a)
                try context.save()
            }
            #expect(
                try await Self.state(container).mapValues { $0.suffix(1) } == [
                    "a": "b", "b": "a", "c": "-", "d": "-",
                ])
        }
    }

    @Test func droppedChangesLeaveBothSidesAlike() async throws {
        try await withTestStore(Circles.model()) { container in
            try await Self.fill(container)
            try await container.perform { context in
                let people = try ["a", "b", "c", "d"].map { try context.find($0, Self.person) }
                people[0]["spouse"] = nil
                context.refresh(people[0])
                #expect(people[1]["spouse"] as? ManagedObject === people[0])
                #expect(people[0]["spouse"] as? ManagedObject === people[1])
                people[0]["spouse"] = people[3]
                people[0].members(forKey: "friends").insert(people[3])
                context.rollback()
                try context.save()
                #expect(people[3].names("friends") == [] && people[0].names("friends") == ["b", "c"])
                #expect(people[3]["spouse"] as? ManagedObject === people[2])
                // The other side's change stays, and is a change of both.
                people[0]["spouse"] = people[3]
                context.refresh(people[0])
                try context.save()
            }
            #expect(
                try await Self.state(container).mapValues { $0.suffix(1) } == [
                    "a": "d", "b": "-", "c": "-", "d": "a",
                ])
        }
    }

    @Test(arguments: Circles.rules)
    func deleteRulesReachTheOtherSide(rule: DeleteRule) async throws {
        let entity = Circles.person(rule)
        try await withTestStore(Circles.model()) { container in
            try await Self.fill(container, entity)
            let error = try await container.perform { context -> SaveError? in
                let b = try context.find("b", entity)
                let a = try context.find("a", entity)
                #expect(a["spouse"] as? ManagedObject === b)
                context.delete(b)
                do {
                    try context.save()
                    #expect(rule == .cascade || a.names("friends") == ["c"])
                    #expect(rule != .nullify || a["spouse"] == nil)
                    return nil
                } catch let error as SaveError {
                    return error
                }
            }
            if rule == .deny {
                #expect(error?.code == .referentialIntegrity)
                #expect(Set(error?.issues.compactMap(\.propertyName) ?? []) == ["friends", "spouse"])
                return
            }
            #expect(error == nil)
            if rule == .noAction {
                // The key of what is gone stays; links to it do not.
                try await container.perform { context in
                    let a = try context.find("a", entity)
                    #expect(a.names("friends") == ["c"] && a["spouse"] != nil)
                }
                return
            }
            // b leads to a, a to c, c to d.
            let expected = rule == .cascade ? [:] : ["a": "c/-", "c": "a/d", "d": "/c"]
            #expect(try await Self.state(container, entity) == expected)
        }
    }
}
