/// The identity maps of one context, one per hierarchy; made when a hierarchy's first object arrives.
package struct IdentityMaps: ~Copyable {
    private var maps: [Box?]

    /// Keeps a map that cannot be copied in an array that can.
    final class Box {
        var map: IdentityMap

        init(isRetaining: Bool) { map = IdentityMap(isRetaining: isRetaining) }
    }

    private var isRetaining: Bool

    init(count: Int, isRetaining: Bool = false) {
        maps = Array(repeating: nil, count: count)
        self.isRetaining = isRetaining
    }

    /// As ``IdentityMap/retain(_:)``, for all maps.
    mutating func retain(_ isRetaining: Bool) -> [ManagedObject] {
        self.isRetaining = isRetaining
        return maps.flatMap { $0?.map.retain(isRetaining) ?? [] }
    }

    var count: Int { maps.reduce(0) { $0 + ($1?.map.count ?? 0) } }

    var all: [ManagedObject] { maps.flatMap { $0?.map.all ?? [] } }

    /// The registered objects of one hierarchy.
    func objects(root: Int) -> [ManagedObject] { maps[root]?.map.all ?? [] }

    func find(root: Int, key: Int64) -> ManagedObject? { maps[root]?.map.find(key) }

    package mutating func insert(_ object: ManagedObject) {
        box(object.layout.root).map.insert(object, object.key)
    }

    package mutating func remove(_ object: ManagedObject) {
        maps[object.layout.root]?.map.remove(object, object.key)
    }

    /// The map of one hierarchy, for who looks up many keys of it.
    mutating func box(_ root: Int) -> Box {
        if let box = maps[root] { return box }
        let box = Box(isRetaining: isRetaining)
        maps[root] = box
        return box
    }
}
