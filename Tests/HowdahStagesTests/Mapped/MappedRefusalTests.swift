import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// What a mapping cannot do is refused, and the store stays as it was.
@Suite(.needsSession) struct MappedRefusalTests {
    private struct Mishap: Error {}

    /// Throws in one of its hooks.
    private class Clumsy: Music.ArtistPolicy {
        class var hook: Int { 0 }

        private func fail(at hook: Int) throws { if hook == Self.hook { throw Mishap() } }

        override func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {
            try fail(at: 0)
        }

        override func createDestinationInstances(
            forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
            if source["title"] as? String == "track 3" { try fail(at: 1) }
        }

        override func endInstanceCreation(
            forMapping mapping: EntityMapping, manager: MigrationManager
        ) throws { try fail(at: 2) }

        override func createRelationships(
            forDestination destination: ManagedObject, in mapping: EntityMapping,
            manager: MigrationManager
        ) throws { try fail(at: 3) }

        override func endRelationshipCreation(
            forMapping mapping: EntityMapping, manager: MigrationManager
        ) throws { try fail(at: 4) }

        override func performCustomValidation(
            forMapping mapping: EntityMapping, manager: MigrationManager
        ) throws { try fail(at: 5) }

        override func end(_ mapping: EntityMapping, manager: MigrationManager) throws { try fail(at: 6) }
    }

    private final class Clumsy1: Clumsy { override class var hook: Int { 1 } }
    private final class Clumsy2: Clumsy { override class var hook: Int { 2 } }
    private final class Clumsy3: Clumsy { override class var hook: Int { 3 } }
    private final class Clumsy4: Clumsy { override class var hook: Int { 4 } }
    private final class Clumsy5: Clumsy { override class var hook: Int { 5 } }
    private final class Clumsy6: Clumsy { override class var hook: Int { 6 } }

    @Test func aHookThatThrowsUndoesTheStage() async throws {
        let policies: [EntityMigrationPolicy.Type] = [
            Clumsy.self, Clumsy1.self, Clumsy2.self, Clumsy3.self, Clumsy4.self, Clumsy5.self, Clumsy6.self,
        ]
        try await MusicStore.with { store in
            for (hook, policy) in policies.enumerated() {
                let error = try await store.failure(Music.mapping(), ["ArtistPolicy": policy])
                #expect(error.code == .migrationFailed)
                #expect(error.underlyingError is Mishap, "hook \(hook): \(error)")
                #expect(error.message.contains("Stage 1 of 1 (V1 → V2): TrackToArtist: "), "\(error.message)")
                #expect(error.message.contains("The store has the version V1"), "\(error.message)")
            }
        }
    }

    /// Makes an artist of each name that it meets.
    private final class Repeating: Music.ArtistPolicy {
        override func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) {}

        override func createDestinationInstances(
            forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            known = [:]
            try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
        }
    }

    @Test func whatBreaksARuleIsRefusedWithExamples() async throws {
        try await MusicStore.with { store in
            var error = try await store.failure(Music.mapping(), ["ArtistPolicy": Repeating.self])
            #expect(error.message.contains("Artist.name must be unique"), "\(error.message)")
            #expect(error.message.contains("(Artist "), "\(error.message)")
            // The filter is gone, so that there are covers without a picture.
            var mapping = Music.mapping()
            mapping.entityMappings[1].sourceFilter = nil
            error = try await store.failure(mapping, ["ArtistPolicy": Music.ArtistPolicy.self])
            #expect(error.message.contains("Cover.url is required"), "\(error.message)")
            #expect(error.message.contains("1 object (Cover "), "\(error.message)")
            mapping = Music.mapping()
            mapping.entityMappings[2].attributeMappings[1].valueExpression = try MappingExpression(
                format: "$source.seconds / 2.0")
            error = try await store.failure(mapping, ["ArtistPolicy": Music.ArtistPolicy.self])
            #expect(
                error.message.contains("TrackToTrack.milliseconds")
                    && error.message.contains("evaluates to a fraction, which the attribute cannot hold"),
                "\(error.message)")
        }
    }

    @Test func whatDoesNotFitIsToldAtOnce() async throws {
        var mapping = Music.mapping(policy: "ArtistPolice")
        mapping.entityMappings[2].relationshipMappings[0].valueExpression = .entityPolicy("artists")
        mapping.entityMappings[2].entityMigrationPolicyClassName = "Mute"
        mapping.entityMappings[2].mappingType = .custom
        let policies: [String: EntityMigrationPolicy.Type] = [
            "ArtistPolicy": Music.ArtistPolicy.self, "Mute": EntityMigrationPolicy.self,
        ]
        try await MusicStore.with { store in
            var error = try await store.failure(mapping, policies)
            #expect(
                error.message.contains(
                    "The stage has no migration policy ArtistPolice. Did you mean ArtistPolicy?"),
                "\(error.message)")
            #expect(
                error.message.contains("The migration policy Mute does not implement artists"),
                "\(error.message)")
            mapping = Music.mapping()
            mapping.entityMappings[0].destinationEntityName = "Albun"
            mapping.entityMappings[2].attributeMappings[0].name = "titel"
            mapping.entityMappings[2].attributeMappings[1].valueExpression = .source("title")
            mapping.entityMappings[1].sourceFilter = .format("size > 3")
            error = try await store.failure(mapping, policies)
            for part in [
                "no entity Albun. Did you mean Album?", "no property titel. Did you mean title?",
                "title is of the type", "has no property size",
            ] {
                #expect(error.message.contains(part), "\(part): \(error.message)")
            }
        }
    }
}
