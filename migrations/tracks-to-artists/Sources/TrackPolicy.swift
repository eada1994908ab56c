import Foundation
import Howdah

/// Makes the artists that the JSON of a track names, each of them once.
final class TrackPolicy: EntityMigrationPolicy {
    private struct Song: Decodable {
        struct Artist: Decodable {
            let id: String
            let name: String
            let imageURL: URL?
        }

        let artists: [Artist]
    }

    private let decoder = JSONDecoder()
    /// Those that were made, by their identifiers.
    private var artists: [String: ManagedObject] = [:]

    override func createDestinationInstances(
        forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
        let made = try manager.destinationInstances(
            forEntityMappingName: mapping.name, sourceInstances: [source])
        guard let track = made.first, let json = source["json"] as? String else { return }
        // What never was JSON names nobody.
        guard let song = try? decoder.decode(Song.self, from: Data(json.utf8)) else { return }
        for named in song.artists {
            track.members(forKey: "artists").insert(artist(named, in: manager.destinationContext))
        }
    }

    private func artist(_ named: Song.Artist, in context: ManagedObjectContext) -> ManagedObject {
        if let artist = artists[named.id] { return artist }
        let artist = context.insert("Artist")
        artist["identifier"] = named.id
        artist["name"] = named.name
        artist["imageURL"] = named.imageURL
        artists[named.id] = artist
        return artist
    }
}
