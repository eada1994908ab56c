import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Minimum and maximum counts of to-manys: no save leaves the bounds, whatever two contexts do.
@Suite struct CountTests {
    private static func issues(_ context: ManagedObjectContext) throws -> [String] {
        do {
            try context.save()
            return []
        } catch let error as SaveError where error.code == .validation {
            return error.issues.map { "\($0.propertyName ?? "") \($0.code) \($0.message.prefix(40))" }
                .sorted()
        }
    }

    /// A team of three players with one reserve, and a club of two of them.
    nonisolated(nonsending)
        private static func fill(_ container: PersistentContainer) async throws
    {
        try await container.perform { context in
            let (team, club) = (context.named("T", "Team"), context.named("C", "Club"))
            let players = ["a", "b", "c"].map { context.named($0, "Player") }
            team.members(forKey: "players").replace(with: players)
            team.members(forKey: "reserves").insert(context.named("r", "Player"))
            club.members(forKey: "people").replace(with: players.prefix(2))
            try context.save()
        }
    }

    @Test func newObjectsAreChecked() async throws {
        try await withTestStore(Circles.model()) { container in
            try await container.perform { context throws in
                let team = context.named("T", "Team")
                let players = (0..<5).map { context.named("\($0)", "Player") }
                let club = context.named("C", "Club")
                club.members(forKey: "people").replace(with: players)
                team.members(forKey: "players").insert(players[0])
                #expect(
                    try Self.issues(context) == [
                        "people 1590 has 5 members, and the model's maximum i",
                        "players 1580 has 1 member, and the model's minimum is",
                        "reserves 1580 has 0 members, and the model's minimum i",
                    ])
                // Both ends are bounded.
                for name in ["D", "E"] {
                    context.named(name, "Club").members(forKey: "people").insert(players[0])
                }
                club.members(forKey: "people").replace(with: players[0..<3])
                for player in players { player["team"] = team }
                #expect(
                    try Self.issues(context) == [
                        "clubs 1590 has 3 members, and the model's maximum i",
                        "players 1590 has 5 members, and the model's maximum i",
                        "reserves 1580 has 0 members, and the model's minimum i",
                    ])
                team.members(forKey: "reserves").insert(players[4])
                players[4]["team"] = nil
                club.members(forKey: "people").remove(players[0])
                #expect(try Self.issues(context) == [])
            }
        }
    }

    @Test(arguments: [true, false])
    func storedOwnersAreCheckedLoadedOrNot(loaded: Bool) async throws {
        try await withTestStore(Circles.model()) { container in
            try await Self.fill(container)
            try await container.perform { context in
                let (team, club) = (try context.find("T", "Team"), try context.find("C", "Club"))
                if loaded { _ = (team.names("players"), club.names("people")) }
                let players = try ["a", "b"].map { try context.find($0, "Player") }
                for player in players { player["team"] = nil }
                for name in ["x", "y"] {
                    context.named(name, "Player").members(forKey: "clubs").insert(club)
                }
                #expect(
                    try Self.issues(context) == [
                        "people 1590 has 4 members, and the model's maximum i",
                        "players 1580 has 1 member, and the model's minimum is",
                    ])
                // Removed and put back, by way of something already there.
                players[0]["team"] = team
                club.members(forKey: "people").remove(players[0])
                club.members(forKey: "people").insert(players[1])
                #expect(try Self.issues(context) == [])
                #expect(team.names("players") == ["a", "c"] && club.names("people") == ["b", "x", "y"])
            }
        }
    }

    @Test func deletedMembersCount() async throws {
        try await withTestStore(Circles.model()) { container in
            try await Self.fill(container)
            try await container.perform { context in
                for name in ["a", "b", "r"] { context.delete(try context.find(name, "Player")) }
                #expect(
                    try Self.issues(context) == [
                        "players 1580 has 1 member, and the model's minimum is",
                        "reserves 1580 has 0 members, and the model's minimum i",
                    ])
                context.rollback()
                // With the owner they may go; the team is not even read.
                for name in ["a", "b", "r"] { context.delete(try context.find(name, "Player")) }
                context.delete(try context.find("T", "Team"))
                #expect(try Self.issues(context) == [])
            }
        }
    }

    /// Two contexts that read the same owner, each change it within bounds, and save one after the other.
    @Test(arguments: ["fill", "empty", "delete", "deleteUnread", "join", "newMember"])
    func twoContextsDoNotLeaveTheBoundsTogether(what: String) async throws {
        try await withTestStore(Circles.model()) { container in
            try await Self.fill(container)
            let (one, other) = (container.newBackgroundContext(), container.newBackgroundContext())
            @Sendable func change(_ context: ManagedObjectContext, _ name: String) throws {
                switch what {
                case "fill": context.named("new", "Player")["team"] = try context.find("T", "Team")
                case "empty": try context.find(name, "Player")["team"] = nil
                case "delete":
                    // The player holds the team in memory.
                    let player = try context.find(name, "Player")
                    #expect(player.value(forKey: "team.name") as? String == "T")
                    context.delete(player)
                case "deleteUnread": context.delete(try context.find(name, "Player"))
                case "join":
                    try context.find("C", "Club").members(forKey: "people").insert(
                        context.named("n", "Player"))
                default:
                    context.named("n", "Player").setValue([try context.find("C", "Club")], forKey: "clubs")
                }
            }
            try await one.perform { try change($0, "a") }
            try await other.perform { try change($0, "b") }
            try await one.perform { try $0.save() }
            let error = try await other.perform { context -> SaveError? in
                do { try context.save() } catch let error as SaveError { return error }
                return nil
            }
            // An owner that nobody read is counted under lock instead.
            #expect(error?.code == (what == "deleteUnread" ? .validation : .conflict))
            #expect(what == "deleteUnread" || error?.conflicts.first?.entityName.isEmpty == false)
        }
    }

    @Test func modelsWithoutBoundsSendNothingMore() throws {
        let layouts = try OfflineContext(Company.model()).context.store.layouts
        #expect(!layouts.hasKeptLists && !layouts.hasCounts && layouts.minimums.isEmpty)
        let bounded = try OfflineContext(Circles.model()).context.store.layouts
        #expect(bounded.hasKeptLists && bounded.hasCounts && bounded.minimums.count == 2)
    }
}
