import Foundation
import Howdah
import Synchronization

/// Two versions of a music library that inference does not connect: the artists of a track, which were JSON, become
/// objects; the cover of an album, which was an attribute, becomes one; a track may be on several albums.
enum Music {
    enum V1: VersionedSchema {
        static var model: ManagedObjectModel {
            get throws {
                try ManagedObjectModel(entities: [
                    EntityDescription(
                        "Track",
                        properties: [
                            .attribute("title", .string, optional: false), .attribute("artistData", .string),
                            .attribute("seconds", .integer32, optional: false, default: .int(0)),
                            .relationship("album", to: "Album", inverse: "tracks"),
                        ]),
                    EntityDescription(
                        "Album",
                        properties: [
                            .attribute("name", .string, optional: false), .attribute("cover", .string),
                            .relationship(
                                "tracks", to: "Track", inverse: "album", toMany: true, ordered: true),
                        ]),
                    EntityDescription("Scratch", properties: [.attribute("text", .string)]),
                ])
            }
        }
    }

    enum V2: VersionedSchema {
        static var model: ManagedObjectModel {
            get throws {
                try ManagedObjectModel(entities: [
                    EntityDescription(
                        "Track",
                        properties: [
                            .attribute("title", .string, optional: false),
                            .attribute("milliseconds", .integer64, optional: false),
                            .attribute("rating", .integer16, optional: false, default: .int(3)),
                            .relationship("albums", to: "Album", inverse: "tracks", toMany: true),
                            .relationship("artists", to: "Artist", inverse: "tracks", toMany: true),
                        ]),
                    EntityDescription(
                        "Album",
                        properties: [
                            .attribute("name", .string, optional: false),
                            .attribute("fullName", .string, optional: false),
                            .relationship("cover", to: "Cover", inverse: "album", deleteRule: .cascade),
                            .relationship(
                                "tracks", to: "Track", inverse: "albums", toMany: true, ordered: true),
                            .attribute(
                                AttributeDescription(
                                    "trackCount", .integer64, optional: false, derivation: "tracks.@count")),
                        ]),
                    EntityDescription(
                        "Cover",
                        properties: [
                            .attribute("url", .string, optional: false),
                            .relationship("album", to: "Album", inverse: "cover", optional: false),
                        ]),
                    EntityDescription(
                        "Artist",
                        properties: [
                            .attribute("name", .string, optional: false),
                            .relationship("tracks", to: "Track", inverse: "artists", toMany: true),
                        ], uniquenessConstraints: [["name"]]),
                    EntityDescription("Shelf", properties: [.attribute("label", .string)]),
                ])
            }
        }
    }

    /// One artist for each name, whoever has it first.
    class ArtistPolicy: EntityMigrationPolicy {
        var known: [String: ManagedObject] = [:]

        override func createDestinationInstances(
            forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            for name in try Music.artists(source["artistData"] as? String) {
                let artist = known[name] ?? manager.destinationContext.insert("Artist")
                if known[name] == nil {
                    artist["name"] = name
                    known[name] = artist
                }
                try manager.associate(
                    sourceInstance: source, withDestinationInstance: artist, for: mapping)
            }
        }
    }

    static func artists(_ json: String?) throws -> [String] {
        guard let json else { return [] }
        return try JSONDecoder().decode([String].self, from: Data(json.utf8))
    }

    /// - Parameter policy: the name of the policy of artists.
    static func mapping(policy: String = "ArtistPolicy") -> MappingModel {
        func made(_ mapping: String, _ source: MappingExpression) -> MappingExpression {
            .destinationInstances(forEntityMappingNamed: mapping, sourceInstances: source)
        }
        return MappingModel(entityMappings: [
            EntityMapping(
                from: "Album", to: "Album",
                attributeMappings: [
                    PropertyMapping("name", .source("name")),
                    PropertyMapping("fullName", try? MappingExpression(format: "uppercase($source.name)")),
                ],
                relationshipMappings: [
                    PropertyMapping("tracks", made("TrackToTrack", .source("tracks"))),
                    PropertyMapping("cover", made("AlbumToCover", .source())),
                ]),
            EntityMapping(
                from: "Album", to: "Cover", sourceFilter: .format("cover != nil"),
                attributeMappings: [PropertyMapping("url", .source("cover"))],
                relationshipMappings: [PropertyMapping("album", made("AlbumToAlbum", .source()))]),
            EntityMapping(
                from: "Track", to: "Track",
                attributeMappings: [
                    PropertyMapping("title", .source("title")),
                    PropertyMapping(
                        "milliseconds", try? MappingExpression(format: "$source.seconds * 1000")),
                ],
                relationshipMappings: [PropertyMapping("artists", made("TrackToArtist", .source()))]),
            EntityMapping(from: "Track", to: "Artist", entityMigrationPolicyClassName: policy),
            EntityMapping(from: "Scratch"),
            EntityMapping(to: "Shelf"),
        ])
    }

    enum Plan: SchemaMigrationPlan {
        static let stages: [MigrationStage] = [
            .mapped(
                from: V1.self, to: V2.self, mapping: mapping(),
                policies: ["ArtistPolicy": ArtistPolicy.self])
        ]
    }

    /// Fills a store of the first version.
    nonisolated(nonsending) static func fill(
        _ container: PersistentContainer, tracks: Int = 9
    ) async throws {
        try await container.perform { context in
            let albums = (0..<3).map { number in
                let album = context.insert("Album")
                album["name"] = "album \(number)"
                if number != 1 { album["cover"] = "http://covers/\(number)" }
                return album
            }
            context.insert("Scratch")["text"] = "gone"
            for number in (0..<tracks).reversed() {
                let track = context.insert("Track")
                track["title"] = "track \(number)"
                track["seconds"] = number
                track["artistData"] =
                    number.isMultiple(of: 4) ? nil : "[\"a\(number % 2)\",\"a\(number % 3)\"]"
                if number > 0 { albums[number % 3].orderedMembers(forKey: "tracks").append(track) }
            }
            try context.save()
        }
    }

    /// What a store of the second version holds.
    nonisolated(nonsending) static func contents(
        _ container: PersistentContainer
    ) async throws -> [String] {
        try await container.perform { context in
            let albums = try context.fetch("Album").map { album in
                let tracks = album.orderedMembers(forKey: "tracks").map { $0["title"] as? String ?? "" }
                return
                    "\(album.objectID.key) \(album["fullName"] ?? "") \(album.value(forKey: "cover.url") ?? "none") "
                    + "\(album["trackCount"] ?? "") \(tracks)"
            }
            let tracks = try context.fetch("Track").map { track in
                let artists = track.members(forKey: "artists").map { $0["name"] as? String ?? "" }.sorted()
                return "\(track.objectID.key) \(track["title"] ?? "") \(track["milliseconds"] ?? "") "
                    + "\(track["rating"] ?? "") \(artists)"
            }
            let artists = try context.fetch("Artist").map { "\($0["name"] ?? "")" }
            return albums.sorted() + tracks.sorted() + artists.sorted()
        }
    }
}
