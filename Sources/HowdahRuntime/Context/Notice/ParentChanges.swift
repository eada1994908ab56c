/// Changes of a parent's objects that its children need: keys that were temporary, and versions that its
/// saves moved.
struct ParentChanges {
    struct Version {
        let root: Int
        let key: Int64
        let version: Int64
    }

    /// The new keys, by root entity and former key.
    private(set) var keys: [Int: [Int64: Int64]] = [:]
    /// The new versions, by the present keys; each is one more than before.
    private(set) var versions: [Version] = []
    private let isHeard: Bool

    init(for context: ManagedObjectContext) { isHeard = !context.children.isEmpty }

    /// Records a new key; called while the object has its former one.
    mutating func renamed(_ object: ManagedObject, to key: Int64) {
        if isHeard, object.key != key { keys[object.layout.root, default: [:]][object.key] = key }
    }

    /// Records a new version; called when the object has it.
    mutating func saved(_ object: ManagedObject) {
        guard isHeard else { return }
        versions.append(Version(root: object.layout.root, key: object.key, version: object.version))
    }
}
