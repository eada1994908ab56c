import Foundation
import Howdah
import HowdahTesting
import Testing

enum TracksV1: VersionedSchema {
    static var model: ManagedObjectModel {
        get throws {
            try ManagedObjectModel(entities: [
                EntityDescription(
                    "Track",
                    properties: [
                        .attribute("title", .string, optional: false),
                        .attribute("seconds", .integer32, optional: false), .attribute("artists", .string),
                    ])
            ])
        }
    }
}

enum TracksV2: VersionedSchema {
    static var model: ManagedObjectModel {
        get throws {
            try ManagedObjectModel(entities: [
                EntityDescription(
                    "Track",
                    properties: [
                        .attribute("title", .string, optional: false),
                        .attribute("milliseconds", .integer64, optional: false),
                        .relationship("artists", to: "Artist", inverse: "tracks", toMany: true),
                    ]),
                EntityDescription(
                    "Artist",
                    properties: [
                        .attribute("name", .string, optional: false),
                        .relationship("tracks", to: "Track", inverse: "artists", toMany: true),
                    ], uniquenessConstraints: [["name"]]),
            ])
        }
    }
}

// snippet
final class TrackPolicy: EntityMigrationPolicy {
    private var artists: [String: ManagedObject] = [:]

    override class var selectors: Set<String> { ["milliseconds:"] }

    override func value(
        forSelector selector: String, arguments: [Any?], in mapping: EntityMapping,
        manager: MigrationManager
    ) throws -> Any? {
        (arguments[0] as? Int64).map { $0 * 1000 }
    }

    override func createDestinationInstances(
        forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
        let made = try manager.destinationInstances(
            forEntityMappingName: mapping.name, sourceInstances: [source])
        guard let track = made.first, let json = source["artists"] as? String else { return }
        for name in try JSONDecoder().decode([String].self, from: Data(json.utf8)) {
            let artist = artists[name] ?? manager.destinationContext.insert("Artist")
            artist["name"] = name
            artists[name] = artist
            track.members(forKey: "artists").insert(artist)
        }
    }
}
// end

// snippet
enum TracksPlan: SchemaMigrationPlan {
    static let stages: [MigrationStage] = [
        .mapped(
            from: TracksV1.self, to: TracksV2.self,
            mapping: MappingModel(entityMappings: [
                EntityMapping(
                    from: "Track", to: "Track",
                    attributeMappings: [
                        PropertyMapping("title", .source("title")),
                        PropertyMapping("milliseconds", .entityPolicy("milliseconds:", .source("seconds"))),
                    ], entityMigrationPolicyClassName: "TrackPolicy")
            ]), policies: ["TrackPolicy": TrackPolicy.self])
    ]
}
// end

/// The code of the part of `docs/from-core-data.md` about mapping models.
@Suite struct FromCoreDataMappingTests {
    @Test func artistsAreMadeOfJSON() async throws {
        let model = try TracksV1.model
        try await withTemporaryDatabase(for: model) { database in
            let before = try await PersistentContainer.open(database.url, model: model)
            let keys = try await before.perform { context in
                let tracks = [("One", "[\"Ann\",\"Bea\"]"), ("Two", "[\"Bea\"]"), ("Three", nil)].map {
                    title, artists in
                    let track = context.insert("Track")
                    track["title"] = title
                    track["seconds"] = title.count
                    track["artists"] = artists
                    return track
                }
                try context.save()
                return tracks.map { "\($0.objectID)" }
            }
            await before.close()
            let url = database.url
            // snippet
            let container = try await PersistentContainer.open(
                url, model: TracksV2.model, migrating: TracksPlan.self)
            // end
            let found = try await container.perform { context in
                try context.fetch("Track").map { track in
                    let artists = track.members(forKey: "artists").map { "\($0["name"] ?? "")" }.sorted()
                    return
                        "\(track.objectID) \(track["title"] ?? "") \(track["milliseconds"] ?? "") \(artists)"
                }
            }
            let count = try await container.perform { try $0.fetch("Artist").count }
            await container.close()
            #expect(
                found.sorted()
                    == [
                        "\(keys[0]) One 3000 [\"Ann\", \"Bea\"]", "\(keys[1]) Two 3000 [\"Bea\"]",
                        "\(keys[2]) Three 5000 []",
                    ].sorted())
            #expect(count == 2)
        }
    }
}
