import DeclaredModels
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Entities of one hierarchy inherit a relationship: its members are loaded once for the objects of all of them.
@Suite struct InheritedRelationshipTests {
    private static func withSongs(_ body: (PersistentContainer) async throws -> Void) async throws {
        try await withTestStore(DeclaredLists.model()) { container in
            try await container.perform { context in
                let albums = (0..<3).map { number in
                    let album = Album(context: context)
                    album.title = "a\(number)"
                    return album
                }
                let listener = Listener(context: context)
                listener.name = "l"
                for number in 0..<12 {
                    let song = number % 2 == 0 ? Song(context: context) : Single(context: context)
                    song.number = number
                    song.album = albums[number % 3]
                    song.albums.insert(albums[(number + 1) % 3])
                    song.listeners.append(listener)
                }
                try context.save()
            }
            try await body(container)
        }
    }

    private static func check(_ songs: [Song]) {
        #expect(songs.count == 12)
        for song in songs {
            #expect(song.album?.title == "a\(song.number % 3)")
            #expect(song.albums.map(\.title) == ["a\((song.number + 1) % 3)"])
            #expect(song.listeners.map(\.name) == ["l"])
        }
    }

    @Test func aPrefetchedStepIsOneStatement() async throws {
        try await Self.withSongs { container in
            try await container.perform { context in
                var request = FetchRequest<Song>()
                request.relationshipKeyPathsForPrefetching = ["album", "albums", "listeners"]
                container.statementLog.start()
                let songs = try context.fetch(request)
                #expect(container.statementLog.count == 4)
                Self.check(songs)
                #expect(container.statementLog.count == 4)
            }
        }
    }

    @Test func aLoopOverBothEntitiesLoadsEachStepOnce() async throws {
        try await Self.withSongs { container in
            try await expectStatements(4, on: container) {
                try await container.perform { context in
                    Self.check(try context.fetch(Song.self, sortedBy: .ascending(\.number)))
                }
            }
            try await expectStatements(2, on: container) {
                try await container.perform { context in
                    for song in try context.fetch(Song.self) { #expect(song.albums.count == 1) }
                }
            }
        }
    }

    /// The album is known only as a fault until it is touched, whichever entity the song is of.
    @Test func destinationsOfBothEntitiesComeTogether() async throws {
        try await Self.withSongs { container in
            try await expectStatements(2, on: container) {
                try await container.perform { context in
                    let songs = try context.fetch(Song.self, sortedBy: .descending(\.number))
                    #expect(Set(songs.compactMap { $0.album?.title }).count == 3)
                }
            }
        }
    }
}
