import Howdah
import TestSupport
import Testing

/// The plan of a mapping is a value, made without a server.
@Suite(.needsSession) struct MappedPlanTests {
    private static func plan(_ mapping: MappingModel) throws -> MigrationPlan {
        let (old, new) = (try Music.V1.model, try Music.V2.model)
        let stage = MappedMigrationStage(
            migratingFrom: ManagedObjectModelReference(versionChecksum: old.versionChecksum),
            to: ManagedObjectModelReference(versionChecksum: new.versionChecksum), mapping: mapping,
            policies: ["ArtistPolicy": Music.ArtistPolicy.self])
        return try stage.plan(from: old, to: new)
    }

    @Test func thePassesComeInOrder() throws {
        let plan = try Self.plan(Music.mapping())
        #expect(try Self.plan(Music.mapping()) == plan)
        let reasons = plan.steps.map(\.reason)
        let passes = try [
            "the tables of the old model are moved to a temporary schema", "table of Cover",
            "index of Track.artists",
            "AlbumToAlbum: Album → Album: objects", "AlbumToCover: Album → Cover: objects",
            "TrackToTrack: Track → Track: objects", "TrackToArtist: Track → Artist: objects by ArtistPolicy",
            "AlbumToAlbum: Album → Album: tracks", "AlbumToCover: Album → Cover: album",
            "TrackToTrack: Track → Track: artists",
            "TrackToArtist: Track → Artist: relationships by ArtistPolicy",
            "TrackToArtist: Track → Artist: validation by ArtistPolicy", "derived Album.trackCount",
            "Artist.name is unique", "Cover.album refers to album", "the tables of the old model are removed",
        ].map { try #require(reasons.firstIndex(of: $0), "\($0): \(reasons)") }
        #expect(passes == passes.sorted())
        #expect(plan.lockedTables == ["album", "scratch", "track"])
        #expect(plan.steps.filter { $0.lock == .accessExclusive }.first?.reason == reasons[0])
        #expect(plan.changes.contains("Scratch: remove") && plan.changes.contains("Shelf: add"))
        #expect(plan.description.contains("INSERT INTO \"public\".\"track\" ("))
        #expect(plan.description.contains("JOIN \"_howdah_old_public\".\"track\" t0 ON"))
    }

    /// What SQL can compute takes as many statements for a million objects as for one.
    @Test func onlyWhatSQLCannotDoIsDoneOneByOne() throws {
        var mapping = Music.mapping()
        #expect(!(try Self.plan(mapping).steps.contains { $0.reason.contains("one by one") }))
        mapping.entityMappings[0].relationshipMappings[1].valueExpression = try MappingExpression(
            format: "TERNARY($source.cover == nil, nil, nil)")
        mapping.entityMappings[2].attributeMappings[1].valueExpression = try MappingExpression(
            format: "TERNARY($source.seconds > 0, $source.seconds, 2.5)")
        let reasons = try Self.plan(mapping).steps.map(\.reason)
        #expect(
            reasons.filter { $0.contains("one by one") } == [
                "TrackToTrack: Track → Track: objects one by one",
                "AlbumToAlbum: Album → Album: cover one by one",
            ])
    }
}
