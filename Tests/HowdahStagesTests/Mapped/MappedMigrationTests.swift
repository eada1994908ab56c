import Foundation
import Howdah
import HowdahTesting
import PQClient
import Synchronization
import TestSupport
import Testing

/// A stage with a mapping model makes the new store of the old one in one transaction.
@Suite(.needsSession) struct MappedMigrationTests {
    @Test func everythingIsMapped() async throws {
        try await MusicStore.with { store in
            try store.sql.rows("GRANT SELECT, UPDATE ON album TO PUBLIC")
            let before = try store.sql.rows("SELECT _id::text, name FROM album ORDER BY 1")
            let tracks = try store.sql.rows("SELECT _id::text, title FROM track ORDER BY 1")
            let container = try await PersistentContainer.open(
                store.url, model: Music.V2.model, migrating: Music.Plan.self)
            #expect(try store.sql.rows("SELECT _id::text, name FROM album ORDER BY 1") == before)
            #expect(try store.sql.rows("SELECT _id::text, title FROM track ORDER BY 1") == tracks)
            let names = Dictionary(before.map { ($0[1] ?? "", $0[0] ?? "") }) { first, _ in first }
            let titles = Dictionary(tracks.map { ($0[1] ?? "", $0[0] ?? "") }) { first, _ in first }
            let albums = (0..<3).map { number in
                let members = (1..<9).reversed().filter { $0 % 3 == number }.map { "track \($0)" }
                return
                    "\(names["album \(number)"] ?? "") ALBUM \(number) \(number == 1 ? "none" : "http://covers/\(number)") "
                    + "\(members.count) \(members)"
            }
            let expected = (0..<9).map { number in
                let artists =
                    number.isMultiple(of: 4) ? [] : Set(["a\(number % 2)", "a\(number % 3)"]).sorted()
                return "\(titles["track \(number)"] ?? "") track \(number) \(number * 1000) 3 \(artists)"
            }
            let contents = try await Music.contents(container)
            #expect(contents == albums.sorted() + expected.sorted() + ["a0", "a1", "a2"])
            // What was mapped can go on to be changed.
            try await container.perform { context in
                for track in try context.fetch("Track") { track["rating"] = 5 }
                try context.save()
            }
            await container.close()
            #expect(try store.sql.rows("SELECT DISTINCT _version::text FROM track") == [["3"]])
            #expect(try store.sql.rows("SELECT label FROM _howdah_migration") == [["V1 → V2"]])
            let rights = try store.sql.value(
                "SELECT string_agg(privilege_type, ' ' ORDER BY privilege_type) FROM pg_class, aclexplode(relacl) "
                    + "WHERE oid = 'album'::regclass AND grantee = 0")
            #expect(rights == "SELECT UPDATE")
            #expect(try store.sql.value("SELECT to_regclass('_howdah_association')::text") == nil)
            #expect(try store.sql.value("SELECT to_regnamespace('_howdah_old_public')::text") == nil)
            let fresh = try await withTestDatabase(for: Music.V2.model) {
                try MusicStore(url: $0.url).catalogue()
            }
            #expect(try store.catalogue().differences(from: fresh) == [])
        }
    }

    /// What a policy says to whoever listens.
    private static let heard = Mutex<[String]>([])

    private final class Listener: Music.ArtistPolicy {
        private func hear(_ hook: String, _ mapping: EntityMapping, _ manager: MigrationManager) {
            #expect(manager.currentEntityMapping?.name == mapping.name)
            #expect(manager.sourceEntity(for: mapping)?.name == mapping.sourceEntityName)
            #expect(
                manager.destinationEntity(for: mapping)
                    == mapping.destinationEntityName.flatMap { manager.destinationModel[$0] })
            #expect(manager.destinationEntity(for: mapping) != nil)
            MappedMigrationTests.heard.withLock { if $0.last != hook { $0.append(hook) } }
        }

        override func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {
            hear("begin", mapping, manager)
            manager.userInfo["albums"] = try manager.destinationInstances(
                forEntityMappingName: "AlbumToAlbum"
            ).count
        }

        override func createDestinationInstances(
            forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            hear("create", mapping, manager)
            try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
        }

        override func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) {
            hear("endInstanceCreation", mapping, manager)
        }

        override func createRelationships(
            forDestination destination: ManagedObject, in mapping: EntityMapping,
            manager: MigrationManager
        ) throws {
            hear("relationships", mapping, manager)
            let sources = try manager.sourceInstances(
                forEntityMappingName: mapping.name, destinationInstances: [destination])
            #expect(!sources.isEmpty)
            #expect(
                try manager.destinationInstances(
                    forEntityMappingName: "TrackToTrack", sourceInstances: sources
                ).map { $0["title"] as? String } == sources.map { $0["title"] as? String })
        }

        override func endRelationshipCreation(forMapping mapping: EntityMapping, manager: MigrationManager) {
            hear("endRelationshipCreation", mapping, manager)
        }

        override func performCustomValidation(
            forMapping mapping: EntityMapping, manager: MigrationManager
        ) throws {
            hear("validation", mapping, manager)
            #expect(manager.userInfo["albums"] as? Int == 3)
        }

        override func end(_ mapping: EntityMapping, manager: MigrationManager) throws {
            hear("end", mapping, manager)
        }
    }

    @Test func hooksComeInCoreDatasOrder() async throws {
        try await MusicStore.with { store in
            try await store.open(Music.mapping(), ["ArtistPolicy": Listener.self]).close()
            #expect(
                Self.heard.withLock { $0 } == [
                    "begin", "create", "endInstanceCreation", "relationships", "endRelationshipCreation",
                    "validation", "end",
                ])
        }
    }

    /// The same objects, made one by one.
    private final class OneByOne: EntityMigrationPolicy {
        override class var selectors: Set<String> { ["milliseconds:"] }

        override func value(
            forSelector selector: String, arguments: [Any?], in mapping: EntityMapping,
            manager: MigrationManager
        ) throws -> Any? { (arguments[0] as? Int64).map { $0 * 1000 } }
    }

    @Test(arguments: [9, 1_203]) func oneByOneComesToTheSame(tracks: Int) async throws {
        var contents: [[String]] = []
        for isOneByOne in [false, true] {
            var mapping = Music.mapping()
            if isOneByOne {
                for place in mapping.entityMappings.indices.prefix(3) {
                    mapping.entityMappings[place].entityMigrationPolicyClassName = "OneByOne"
                    mapping.entityMappings[place].mappingType = .custom
                }
                mapping.entityMappings[2].attributeMappings[1].valueExpression = .entityPolicy(
                    "milliseconds:", .source("seconds"))
            }
            try await MusicStore.with(tracks: tracks) { store in
                let container = try await store.open(
                    mapping, ["ArtistPolicy": Music.ArtistPolicy.self, "OneByOne": OneByOne.self])
                contents.append(try await Music.contents(container))
                await container.close()
                #expect(
                    try store.sql.rows("SELECT DISTINCT _version::text FROM track") == [["2"]],
                    "\(isOneByOne)")
            }
        }
        #expect(contents[0] == contents[1])
        #expect(contents[0].count == 3 + tracks + 3)
    }

    /// What a call comes to goes on in the expression around it.
    @Test func callsStandInsideOfCalculations() async throws {
        var mapping = Music.mapping()
        let album =
            "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'AlbumToAlbum', $source.album)"
        mapping.entityMappings[2].entityMigrationPolicyClassName = "OneByOne"
        mapping.entityMappings[2].mappingType = .custom
        mapping.entityMappings[2].attributeMappings = [
            PropertyMapping(
                "title",
                try MappingExpression(
                    format: "TERNARY($source.album == nil, 'loose', lowercase(\(album).fullName))")),
            PropertyMapping(
                "milliseconds",
                try MappingExpression(
                    format: "\(album).@count + 2 * FUNCTION($entityPolicy, 'milliseconds:', $source.seconds)")
            ),
        ]
        try await MusicStore.with { store in
            let expected = try store.sql.rows(
                "SELECT t._id::text, COALESCE(a.name, 'loose'), (2000 * seconds + (album IS NOT NULL)::int)::text "
                    + "FROM track t LEFT JOIN album a ON a._id = t.album ORDER BY t._id")
            let container = try await store.open(
                mapping, ["ArtistPolicy": Music.ArtistPolicy.self, "OneByOne": OneByOne.self])
            await container.close()
            #expect(
                try store.sql.rows(
                    "SELECT t._id::text, title, milliseconds::text FROM track t ORDER BY t._id")
                    == expected)
        }
    }

    /// What a call inside of a calculation is wrong in is told before anything is done.
    @Test func wrongCallsInsideOfCalculationsAreRefusedByName() async throws {
        try await MusicStore.with { store in
            var mapping = Music.mapping()
            mapping.entityMappings[2].attributeMappings[1].valueExpression = try MappingExpression(
                format: "1 + FUNCTION($manager, 'count', $source.seconds)")
            let error = try await store.failure(mapping, ["ArtistPolicy": Music.ArtistPolicy.self])
            #expect(error.message.contains("$manager has no method count"), "\(error.message)")
        }
    }

    /// An entity that no mapping takes is not dropped without a word.
    @Test func whatIsForgottenIsRefusedUntilConfirmed() async throws {
        var mapping = Music.mapping()
        mapping.entityMappings.removeAll { $0.sourceEntityName == "Scratch" }
        let policies = ["ArtistPolicy": Music.ArtistPolicy.self]
        try await MusicStore.with { store in
            let error = try await store.failure(mapping, policies)
            #expect(
                error.message.contains("Scratch: no entity mapping uses its objects"), "\(error.message)")
            var options = StoreOptions()
            options.stagedMigrationManager = StagedMigrationManager([
                MigrationStage.mapped(
                    from: Music.V1.self, to: Music.V2.self, mapping: mapping, policies: policies,
                    confirmedDrops: ["Scratch"])
            ])
            try await PersistentContainer.open(store.url, model: Music.V2.model, options: options).close()
            #expect(try store.sql.value("SELECT to_regclass('scratch')::text") == nil)
        }
    }

    /// What else was made of the objects of a relationship is not what another relationship takes.
    @Test(arguments: [false, true]) func aRelationshipTakesItsOwnEntityAlone(isOneByOne: Bool) async throws {
        var mapping = Music.mapping()
        mapping.entityMappings[0].relationshipMappings.removeFirst()
        mapping.entityMappings[2].relationshipMappings = [
            PropertyMapping(
                "albums",
                .destinationInstances(
                    forSourceRelationshipNamed: "album", sourceInstances: .source("album")))
        ]
        if isOneByOne {
            mapping.entityMappings[2].entityMigrationPolicyClassName = "OneByOne"
            mapping.entityMappings[2].mappingType = .custom
        }
        try await MusicStore.with { store in
            let expected = try store.sql.rows(
                "SELECT t.title || ' ' || a.name FROM track t JOIN album a ON a._id = t.album ORDER BY 1"
            ).compactMap(\.[0])
            let container = try await store.open(
                mapping, ["ArtistPolicy": Music.ArtistPolicy.self, "OneByOne": OneByOne.self])
            let found = try await container.perform { context in
                try context.fetch("Track").flatMap { track in
                    track.members(forKey: "albums").map {
                        "\(track["title"] ?? "") \($0["name"] ?? "")"
                    }
                }.sorted()
            }
            #expect(found == expected)
            await container.close()
        }
    }
}
