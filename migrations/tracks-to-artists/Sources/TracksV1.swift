import Howdah

/// A track has its artists as the JSON that a service answered, and a name to show.
enum TracksV1: VersionedSchema {
    static var model: ManagedObjectModel { get throws { try TracksBundle.model("Tracks") } }
}
