import Howdah

/// Artists are objects, each of them once.
enum TracksV2: VersionedSchema {
    static var model: ManagedObjectModel { get throws { try TracksBundle.model("Tracks 2") } }
}
