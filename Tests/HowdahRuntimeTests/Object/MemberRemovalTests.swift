import DeclaredModels
import Foundation
import Howdah
import TestSupport
import Testing

/// The forms of arrays and sets that relationships have too.
@Suite struct MemberRemovalTests {
    @Test func membersAreRemovedFromBothSides() async throws {
        try await withTestStore(DeclaredLists.model()) { container in
            try await container.perform { context in
                let album = Album(context: context)
                album.title = "A"
                let songs = (0..<6).map { number in
                    let song = Song(context: context)
                    song.number = number
                    album.songs.append(song)
                    song.albums.insert(album)
                    return song
                }
                #expect(songs[2].albums.first === album && album.songs.first === songs[0])
                try context.save()
                context.reset()
            }
            try await container.perform { context in
                let album = try context.fetch(Album.self)[0]
                let songs = try context.fetch(Song.self, sortedBy: .ascending(\.number))
                album.songs.removeAll { $0.number.isMultiple(of: 2) }
                #expect(album.songs.map(\.number) == [1, 3, 5])
                #expect(songs.map { $0.album == nil } == [true, false, true, false, true, false])
                songs[0].albums.removeAll()
                songs[1].albums.removeAll { $0.title == "B" }
                songs[3].albums.removeAll { $0.title == "A" }
                #expect(songs[0].albums.first == nil && songs[1].albums.count == 1 && songs[3].albums.isEmpty)
                try context.save()
            }
            try await container.perform { context in
                let album = try context.fetch(Album.self)[0]
                #expect(album.songs.map(\.number) == [1, 3, 5])
                #expect(album.guests.map(\.number).sorted() == [1, 2, 4, 5])
                #expect(throws: Refusal.self) { try album.songs.removeAll { _ in throw Refusal() } }
                #expect(album.songs.count == 3)
                album.songs.removeAll()
                #expect(album.songs.isEmpty && album.songs.first == nil)
                try context.save()
                #expect(try context.count(Song.self, where: #Predicate { $0.album == nil }) == 6)
            }
        }
    }

    private struct Refusal: Error {}
}
