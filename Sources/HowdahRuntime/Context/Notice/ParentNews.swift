/// What became of a parent's objects that its children know under what they were before: keys that were temporary, and
/// versions that the parent's own saves moved.
struct ParentNews {
    struct Version {
        let root: Int
        let key: Int64
        let version: Int64
    }

    /// The new keys, by root entity and former key.
    private(set) var keys: [Int: [Int64: Int64]] = [:]
    /// The new versions, under the keys of now; each is one more than before.
    private(set) var versions: [Version] = []
    private let isHeard: Bool

    init(for context: ManagedObjectContext) { isHeard = !context.children.isEmpty }

    /// Called while the object has its former key.
    mutating func renamed(_ object: ManagedObject, to key: Int64) {
        if isHeard, object.key != key { keys[object.layout.root, default: [:]][object.key] = key }
    }

    /// Called when the object has its new version.
    mutating func saved(_ object: ManagedObject) {
        guard isHeard else { return }
        versions.append(Version(root: object.layout.root, key: object.key, version: object.version))
    }
}
