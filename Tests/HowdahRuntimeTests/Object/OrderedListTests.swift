import DeclaredModels
import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Ordered relationships end to end: what a list is in memory, it is in the store.
@Suite struct OrderedListTests {
    /// An album with songs numbered from 0, saved.
    nonisolated(nonsending)
        private static func album(_ count: Int, in container: PersistentContainer) async throws
        -> ObjectID<Album>
    {
        try await container.perform { context in
            let album = Album(context: context)
            album.title = "A"
            for number in 0..<count { album.songs.append(song(number, context)) }
            try context.save()
            return album.objectID
        }
    }

    private static func song(_ number: Int, _ context: ManagedObjectContext) -> Song {
        let song = number % 3 == 2 ? Single(context: context) : Song(context: context)
        song.number = number
        return song
    }

    nonisolated(nonsending)
        private static func stored(_ album: ObjectID<Album>, in container: PersistentContainer) async throws
        -> [Int]
    {
        try await container.perform { context in context.object(with: album).songs.map(\.number) }
    }

    @Test func aListKeepsItsOrder() async throws {
        try await withTestStore(DeclaredLists.model()) { container in
            let album = try await Self.album(5, in: container)
            #expect(try await Self.stored(album, in: container) == [0, 1, 2, 3, 4])
            try await container.perform { context in
                let songs = context.object(with: album).songs
                songs.move(songs[4], to: 0)
                songs.insert(Self.song(9, context), at: 2)
                #expect(songs.remove(at: 4).number == 2)
                #expect(songs.map(\.number) == [4, 0, 9, 1, 3])
                #expect(songs.first?.number == 4 && songs.last?.number == 3 && songs[1].number == 0)
                #expect(songs.firstIndex(of: songs[2]) == 2 && songs.contains(songs[2]))
                try context.save()
                #expect(songs.map(\.number) == [4, 0, 9, 1, 3])
            }
            #expect(try await Self.stored(album, in: container) == [4, 0, 9, 1, 3])
            try await container.perform { context in
                let songs = context.object(with: album).songs
                songs.replace(with: songs.reversed() + [songs[0]])
                try context.save()
            }
            #expect(try await Self.stored(album, in: container) == [3, 1, 9, 0, 4])
        }
    }

    @Test func aMoveInALongListWritesOneRow() async throws {
        try await withTestStore(DeclaredLists.model()) { container in
            let album = try await Self.album(1_000, in: container)
            try await container.perform { context in
                let songs = context.object(with: album).songs
                songs.move(songs[999], to: 3)
                let settled = try context.freezeChanges()
                #expect(settled.updated.map(\.slots) == [[]] && settled.lists.count == 1)
                container.statementLog.start()
                try context.save()
                let written = container.statementLog.statements
                #expect(written.map { $0.sql.hasPrefix("UPDATE") } == [true, true])
                #expect(written[0].sql.contains("_version") && written[0].rows == 1)
                #expect(written[1].sql.contains("album_order") && written[1].rows == 1)
                container.statementLog.start()
                songs.move(songs[3], to: 3)
                songs.replace(with: songs.objects)
                #expect(!context.hasChanges)
                try context.save()
                #expect(container.statementLog.count == 0)
            }
            let stored = try await Self.stored(album, in: container)
            #expect(stored == [0, 1, 2, 999] + Array(3..<999))
        }
    }

    @Test func roomRunsOutAndIsMadeAnew() async throws {
        try await withTestStore(DeclaredLists.model()) { container in
            let album = try await Self.album(3, in: container)
            var rows: [Int] = []
            for number in 10..<40 {
                rows += try await container.perform { context in
                    context.object(with: album).songs.insert(Self.song(number, context), at: 1)
                    container.statementLog.start()
                    try context.save()
                    return container.statementLog.statements.filter { $0.sql.contains("album_order\" = v.o") }
                        .map(\.rows)
                }
            }
            // Twenty insertions halve the room away; then all other members are written, once.
            #expect(rows.count == 1 && rows[0] > 20)
            #expect(try await Self.stored(album, in: container) == [0] + (10..<40).reversed() + [1, 2])
        }
    }

    @Test func appendingLoadsNoMembers() async throws {
        try await withTestStore(DeclaredLists.model()) { container in
            let album = try await Self.album(20, in: container)
            try await container.perform { context in
                let owner = try context.existingObject(with: album)
                container.statementLog.start()
                owner.songs.append(Self.song(20, context))
                Self.song(21, context).album = owner
                #expect(container.statementLog.count == 0 && context.registeredObjectCount == 3)
                try context.save()
                #expect(container.statementLog.count == 4)
            }
            #expect(try await Self.stored(album, in: container) == Array(0...21))
        }
    }

    @Test func numbersWrittenByHandAreNoTrap() async throws {
        let model = try DeclaredLists.model()
        try await withTestDatabase(for: model) { database in
            let container = try await PersistentContainer.open(database.url, model: model)
            let sql = PlainSQL(url: database.url)
            let album = try await Self.album(4, in: container)
            // Without numbers members are in the order of ids.
            try sql.rows("UPDATE song SET album_order = NULL")
            #expect(try await Self.stored(album, in: container) == [0, 1, 2, 3])
            try await container.perform { context in
                let songs = context.object(with: album).songs
                songs.move(songs[3], to: 1)
                try context.save()
            }
            #expect(try await Self.stored(album, in: container) == [0, 3, 1, 2])
            // No room behind the last: the list is read and numbered anew.
            try sql.rows("UPDATE song SET album_order = 9223372036854775807 WHERE number = 2")
            try await container.perform { context in
                context.object(with: album).songs.append(Self.song(9, context))
                try context.save()
            }
            #expect(try await Self.stored(album, in: container) == [0, 3, 1, 2, 9])
            #expect(try sql.value("SELECT max(album_order)::text FROM song") == "\(5 * OrderNumbers.step)")
            try sql.rows("UPDATE song SET album_order = 7")
            try await container.perform { context in
                let songs = context.object(with: album).songs
                #expect(songs.map(\.number) == [0, 1, 2, 3, 9])
                songs.move(songs[0], to: 1)
                try context.save()
            }
            #expect(try await Self.stored(album, in: container) == [1, 0, 2, 3, 9])
            await container.close()
        }
    }

    @Test func predicatesLookIntoLists() async throws {
        try await withTestStore(DeclaredLists.model()) { container in
            let album = try await Self.album(3, in: container)
            try await container.perform { context in
                let owner = context.object(with: album)
                owner.guests.replace(with: owner.songs)
                Album(context: context).title = "empty"
                try context.save()
                let found = try context.fetch(
                    Album.self,
                    where: #Predicate { album in
                        album.songs.count == 3 && album.guests.contains { $0.number == 2 }
                    })
                #expect(found == [owner])
                let empty = try context.fetch(Album.self, where: #Predicate { $0.songs.isEmpty })
                #expect(empty.map(\.title) == ["empty"])
                let loans = try PredicateTree(format: "ANY loans.number == 1")
                #expect(try context.fetch(Album.self, matching: loans) == [])
            }
        }
    }

    @Test func theOrderIsPartOfThePlan() throws {
        let offline = try OfflineContext(DeclaredLists.model())
        let album = try offline.stored(Album.self, 1) { $0.title = "A" }
        let songs = try (0..<3).map { try offline.stored(Song.self, Int64(10 + $0)) }
        let slot = try #require(album.layout.slotsByName["songs"])
        let state = album.toManyState(slot)
        state.load(songs)
        for (index, song) in songs.enumerated() {
            state.numbers[song.key] = Int64(index) * 100
            song._assignToOne(
                _ToOneField(key: 1, entity: Int32(album.layout.index), object: album),
                at: try #require(song.layout.slotsByName["album"]))
        }
        album.songs.move(songs[2], to: 1)
        let plan = try offline.plan()
        #expect(
            plan.description == """
                version of 1 in "public"."album"
                order 1 in "public"."song" ("album_order")
                """)
        #expect(plan.orders.first?.rows.map(\.number) == [50] && plan.orders.first?.rows.first?.keys == [12])
        let fresh = Song(context: offline.context)
        fresh.number = 5
        album.songs.insert(fresh, at: 0)
        songs[0].album = nil
        #expect(
            try offline.plan().description == """
                version of 1 in "public"."album"
                update 1 in "public"."song" ("album", "album_order")
                order 1 in "public"."song" ("album_order")
                insert 1 into "public"."song" ("_id", "_entity", "number", "album", "album_order")
                """)
    }

    @Test func membersMoveBetweenLists() async throws {
        try await withTestStore(DeclaredLists.model()) { container in
            let first = try await Self.album(4, in: container)
            let second = try await Self.album(2, in: container)
            try await container.perform { context in
                let (a, b) = (context.object(with: first), context.object(with: second))
                let song = a.songs[1]
                b.songs.insert(song, at: 0)
                #expect(song.album === b && a.songs.map(\.number) == [0, 2, 3])
                // To nothing, and back: at the end.
                let other = a.songs[0]
                other.album = nil
                other.album = a
                try context.save()
            }
            #expect(try await Self.stored(first, in: container) == [2, 3, 0])
            #expect(try await Self.stored(second, in: container) == [1, 0, 1])
            try await container.perform { context in
                let (a, b) = (context.object(with: first), context.object(with: second))
                // Without looking at the list.
                let song = try context.fetch(Song.self, where: #Predicate { $0.number == 3 })[0]
                song.album = nil
                song.album = a
                #expect(a.songs.map(\.number) == [2, 0, 3])
                b.songs.remove(b.songs[0])
                context.delete(b.songs[0])
                try context.save()
                #expect(b.songs.map(\.number) == [1])
            }
            #expect(try await Self.stored(first, in: container) == [2, 0, 3])
            #expect(try await Self.stored(second, in: container) == [1])
        }
    }

    @Test func listsOfACohortComeSortedInOneStatement() async throws {
        try await withTestStore(DeclaredLists.model()) { container in
            for _ in 0..<3 { _ = try await Self.album(4, in: container) }
            try await container.perform { context in
                for album in try context.fetch(Album.self) {
                    album.songs.move(album.songs[3], to: 0)
                }
                try context.save()
            }
            try await container.perform { context in
                container.statementLog.start()
                let albums = try context.fetch(Album.self, prefetching: \.songs)
                #expect(albums.map { $0.songs.map(\.number) } == Array(repeating: [3, 0, 1, 2], count: 3))
                #expect(container.statementLog.count == 2)
            }
            try await container.perform { context in
                container.statementLog.start()
                let albums = try context.fetch(Album.self)
                #expect(albums.map { $0.songs.map(\.number) } == Array(repeating: [3, 0, 1, 2], count: 3))
                #expect(container.statementLog.count == 2)
            }
        }
    }

    @Test func namesReachListsToo() async throws {
        try await withTestStore(DeclaredLists.model()) { container in
            let album = try await Self.album(3, in: container)
            try await container.perform { context in
                let owner: ManagedObject = context.object(with: album)
                let songs = try #require(owner.value(forKey: "songs") as? [ManagedObject])
                owner.setValue([songs[2], songs[0]], forKey: "songs")
                owner.orderedMembers(forKey: "songs").append(songs[1])
                #expect((owner.value(forKey: "songs.number") as? [Int64]) == [2, 0, 1])
                #expect(owner.changedPropertyNames == ["songs"] && owner.isUpdated)
                try context.save()
                #expect(owner.changedPropertyNames == [] && !owner.isUpdated)
            }
            #expect(try await Self.stored(album, in: container) == [2, 0, 1])
        }
    }

    @Test func anEditThatIsDroppedLeavesNoTrace() async throws {
        try await withTestStore(DeclaredLists.model()) { container in
            let album = try await Self.album(3, in: container)
            try await container.perform { context in
                let owner = context.object(with: album)
                owner.songs.move(owner.songs[2], to: 0)
                context.rollback()
                #expect(owner.songs.map(\.number) == [0, 1, 2] && !context.hasChanges)
                owner.songs.move(owner.songs[2], to: 0)
                context.refresh(owner)
                #expect(owner.songs.map(\.number) == [0, 1, 2] && !context.hasChanges)
                // A refreshed member goes back to where it was.
                let song = owner.songs[1]
                song.album = nil
                context.refresh(song)
                #expect(owner.songs.map(\.number) == [0, 1, 2])
                try context.save()
            }
            #expect(try await Self.stored(album, in: container) == [0, 1, 2])
        }
    }

    @Test func aTransactionThatIsRolledBackMakesTheOrderPendingAgain() async throws {
        try await withTestStore(DeclaredLists.model()) { container in
            let album = try await Self.album(4, in: container)
            let handle = container.newBackgroundContext()
            struct Stop: Error {}
            await #expect(throws: Stop.self) {
                try await handle.perform(isolation: .readCommitted) { context in
                    let owner = context.object(with: album)
                    owner.songs.move(owner.songs[3], to: 0)
                    try context.save()
                    owner.songs.insert(Self.song(7, context), at: 2)
                    let fresh = Album(context: context)
                    fresh.title = "B"
                    fresh.songs.replace(with: [1, 0].map { Self.song($0, context) })
                    try context.save()
                    owner.songs.move(owner.songs[1], to: 4)
                    throw Stop()
                }
            }
            #expect(try await Self.stored(album, in: container) == [0, 1, 2, 3])
            try await handle.perform { context in
                #expect(context.object(with: album).songs.map(\.number) == [3, 7, 1, 2, 0])
                try context.save()
            }
            #expect(try await Self.stored(album, in: container) == [3, 7, 1, 2, 0])
            try await container.perform { context in
                let fresh = try context.fetch(Album.self, where: #Predicate { $0.title == "B" })
                #expect(fresh.map { $0.songs.map(\.number) } == [[1, 0]])
            }
        }
    }
}
