/// A cache that a room above keeps for a whole store, and makes again when it is missing.
protocol StoreCache: AnyObject, Sendable {
    init()
}

/// The caches of a store, one of each type.
final class StoreCaches: Sendable {
    private let all = Guarded<[any StoreCache]>([])

    /// Returns the cache of a type, which is made at the first call.
    func cache<Cache: StoreCache>(_ type: Cache.Type) -> Cache {
        all.locked { all in
            for known in all { if let cache = known as? Cache { return cache } }
            let cache = Cache()
            all.append(cache)
            return cache
        }
    }
}
