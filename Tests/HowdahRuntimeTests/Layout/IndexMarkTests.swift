import Howdah
import Testing

@Entity final class MarkedTrack: ManagedObject {
    @Attribute(.indexed, maximumLength: 80) var name: String
    @Attribute(.indexed) var playedAt: Int?
    var length: Int = 0
}

@Entity(indexes: [["name", "length"], [FetchIndexElement("length", ascending: false)]])
final class MarkedTune: ManagedObject {
    @Attribute(.indexed) var name: String
    var length: Int = 0
}

@Entity(indexes: [
    [.folded("title")], [.folded("note", options: .caseInsensitive, ascending: false), "length"],
])
final class MarkedShelf: ManagedObject {
    @Attribute(userInfo: [MappingKey.foldedIndex: "d"]) var mark: String?
    var title: String
    var note: String?
    var length: Int = 0
}

/// Marks in a declaration are the indexes that a model file or a description by hand would have.
@Suite struct IndexMarkTests {
    @Test func marksAreIndexesCalledAfterTheirProperties() {
        #expect(
            MarkedTrack.entity?.fetchIndexes == [
                FetchIndexDescription("byName", on: "name"),
                FetchIndexDescription("byPlayedAt", on: "playedAt"),
            ])
        #expect(
            MarkedTune.entity?.fetchIndexes == [
                FetchIndexDescription("byNameAndLength", on: "name", "length"),
                FetchIndexDescription(
                    "byLength", elements: [FetchIndexElement("length", ascending: false)]),
                FetchIndexDescription("byName", on: "name"),
            ])
    }

    @Test func foldedOnesAreNamedInIndexesOrInUserInfo() throws {
        let entity = try #require(MarkedShelf.entity)
        #expect(
            entity.fetchIndexes == [
                FetchIndexDescription("byTitleFolded", elements: [.folded("title")]),
                FetchIndexDescription(
                    "byNoteFoldedAndLength",
                    elements: [.folded("note", options: .caseInsensitive, ascending: false), "length"]),
            ])
        #expect(
            entity.allFetchIndexes.dropFirst(2) == [
                FetchIndexDescription(
                    "byMarkFolded", elements: [.folded("mark", options: .diacriticInsensitive)])
            ])
    }

    @Test func theChecksumIsThatOfTheSameModelByHand() throws {
        var entity = try #require(MarkedTrack.entity)
        let declared = try ManagedObjectModel(MarkedTrack.self)
        entity.fetchIndexes.reverse()
        let written = try ManagedObjectModel(entities: [entity])
        #expect(declared.versionChecksum == written.versionChecksum)
        entity.fetchIndexes.removeLast()
        let other = try ManagedObjectModel(entities: [entity])
        #expect(declared.versionChecksum != other.versionChecksum)
    }
}
