import DeclaredModels
import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Two contexts that edit one list: one of them has to look again.
@Suite struct OrderedConflictTests {
    nonisolated(nonsending)
        private static func fill(_ container: PersistentContainer) async throws -> ObjectID<Album>
    {
        try await container.perform { context in
            let album = Album(context: context)
            album.title = "A"
            for number in 0..<4 {
                let song = Song(context: context)
                song.number = number
                album.songs.append(song)
                album.guests.append(song)
                album.loans.append(song)
            }
            try context.save()
            return album.objectID
        }
    }

    private static func edit(_ context: ManagedObjectContext, _ id: ObjectID<Album>, _ what: String) throws {
        let album = context.object(with: id)
        let lists = [album.songs, album.guests, album.loans]
        switch what {
        case "reorder": for list in lists { list.move(list[3], to: 0) }
        case "append":
            let song = Song(context: context)
            song.number = 9
            song.album = album
        case "remove": lists[1].remove(lists[1][1])
        default:
            let song = try context.fetch(Song.self, sortedBy: .ascending(\.number))[3]
            song.albums.remove(album)
        }
    }

    @Test(arguments: ["reorder", "append", "remove", "other side"], ["reorder", "append"])
    func oneOfThemConflicts(first: String, second: String) async throws {
        try await withTestStore(DeclaredLists.model()) { container in
            let album = try await Self.fill(container)
            let (one, other) = (container.newBackgroundContext(), container.newBackgroundContext())
            try await one.perform { try Self.edit($0, album, first) }
            try await other.perform { try Self.edit($0, album, second) }
            try await one.perform { try $0.save() }
            let error = try await other.perform { context -> SaveError? in
                do { try context.save() } catch let error as SaveError { return error }
                return nil
            }
            #expect(error?.code == .conflict)
            let conflict = try #require(error?.conflicts.first)
            // A list that was read is compared; of one that was not, nobody knows.
            let all = ["songs", "guests", "loans"]
            let changed = ["append": ["songs"], "remove": ["guests"], "other side": ["guests"]][first]
            #expect(conflict.entityName == "Album")
            #expect(conflict.properties == (second == "append" ? all : changed ?? all))
            #expect(conflict.changedProperties.first == "songs")
        }
    }

    /// A list that changed is named, here and there, where a value changed as well.
    @Test(arguments: [false, true]) func listsAreNamedBesideValues(isOrdered: Bool) async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Team",
                properties: [
                    .attribute("name", .string), .attribute("motto", .string),
                    .relationship(
                        "players", to: "Player", inverse: "teams", toMany: true, ordered: isOrdered,
                        maxCount: isOrdered ? 0 : 9),
                    .relationship("fans", to: "Player", inverse: "fanOf", toMany: true),
                ]),
            EntityDescription(
                "Player",
                properties: [
                    .relationship("teams", to: "Team", inverse: "players", toMany: true),
                    .relationship("fanOf", to: "Team", inverse: "fans", toMany: true),
                ]),
        ])
        try await withTestStore(model) { container in
            let ids = try await container.perform { context in
                let team = context.insert("Team")
                let players = (0..<4).map { _ in context.insert("Player") }
                for player in players[..<3] { team.members(forKey: "players").insert(player) }
                try context.save()
                return [team.objectID] + players.map(\.objectID)
            }
            let here = container.newBackgroundContext()
            try await here.perform { context in
                let team = try context.existingObject(with: ids[0])
                #expect(team.members(forKey: "players").objects.count == 3)
                team["name"] = "here"
                team.members(forKey: "fans").insert(context.object(with: ids[4]))
            }
            try await container.perform { context in
                let team = try context.existingObject(with: ids[0])
                team["motto"] = "there"
                team.members(forKey: "players").remove(context.object(with: ids[1]))
                try context.save()
            }
            let error = try await here.perform { context in
                let error = #expect(throws: SaveError.self) { try context.save() }
                context.rollback()
                return error
            }
            let conflict = try #require(error?.conflicts.first)
            #expect(conflict.properties == ["motto", "players"])
            #expect(conflict.changedProperties == ["name", "fans"])
            // Only the list differs here: a value that is the same is not blamed on it.
            try await here.perform { context in
                let team = try context.existingObject(with: ids[0])
                context.refresh(team)
                team.members(forKey: "players").insert(context.object(with: ids[1]))
            }
            try await container.perform { context in
                try context.existingObject(with: ids[0])["motto"] = "again"
                try context.save()
            }
            let second = try await here.perform { context in
                #expect(throws: SaveError.self) { try context.save() }
            }
            let other = try #require(second?.conflicts.first)
            #expect(other.properties == ["motto"] && other.changedProperties == ["players"])
        }
    }

    @Test func otherChangesOfOwnerAndMembersDoNotMeet() async throws {
        try await withTestStore(DeclaredLists.model()) { container in
            let album = try await Self.fill(container)
            let (one, other) = (container.newBackgroundContext(), container.newBackgroundContext())
            try await one.perform { try Self.edit($0, album, "reorder") }
            try await other.perform { context in
                for song in context.object(with: album).songs { song.number += 100 }
                try context.save()
            }
            // A member's place is no value of the member.
            try await one.perform { try $0.save() }
            let numbers = try await container.perform { context in
                let album = context.object(with: album)
                return [album.songs, album.guests, album.loans].map { $0.map(\.number) }
            }
            #expect(numbers == Array(repeating: [103, 100, 101, 102], count: 3))
        }
    }

    @Test func manyReorderAtOnceAndNothingIsLost() async throws {
        try await withTestStore(DeclaredLists.model()) { container in
            let album = try await Self.fill(container)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<6 {
                    group.addTask {
                        for round in 0..<5 {
                            try await container.perform(retrying: .conflicts(upTo: 100)) { context in
                                let songs = context.object(with: album).songs
                                let song = Song(context: context)
                                song.number = 100 + worker * 10 + round
                                songs.insert(song, at: worker % songs.count)
                                songs.move(songs[songs.count - 1], to: 1)
                                try context.save()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await container.perform { context in
                let album = context.object(with: album)
                #expect(album.songs.count == 34 && Set(album.songs.map(\.number)).count == 34)
                #expect(album.version == 31)
            }
        }
    }

    /// Its place went with its row: it has one in the store again, the one that memory shows.
    @Test(arguments: [MergePolicy.MergeType.mergeByPropertyObjectTrump, .overwrite])
    func aMemberThatAPolicyStoresAgainHasAPlace(type: MergePolicy.MergeType) async throws {
        try await withTestStore(DeclaredLists.model()) { container in
            let album = try await container.perform { context in
                let album = Album(context: context)
                album.title = "A"
                for number in 0..<4 {
                    let song = Song(context: context)
                    song.number = number
                    album.songs.append(song)
                }
                try context.save()
                return album.objectID
            }
            let editing = container.newBackgroundContext()
            try await editing.perform { context in
                context.mergePolicy = MergePolicy(merge: type)
                context.object(with: album).songs[1].number = 10
            }
            try await container.perform { context in
                context.delete(context.object(with: album).songs[1])
                try context.save()
            }
            let here = try await editing.perform { context in
                try context.save()
                return context.object(with: album).songs.map(\.number)
            }
            let stored = try await container.perform { $0.object(with: album).songs.map(\.number) }
            #expect(Set(here) == [0, 10, 2, 3] && stored == here, "\(here) \(stored)")
        }
    }
}
