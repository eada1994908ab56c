/// The positions of distinct keys, found without hashing if they are consecutive.
struct KeyIndex {
    private let places: [Int64: Int]
    private var last: (key: Int64, place: Int)

    init(_ keys: [Int64]) {
        var places: [Int64: Int] = [:]
        places.reserveCapacity(keys.count)
        for (place, key) in keys.enumerated() { places[key] = place }
        self.places = places
        last = (keys.first ?? 0, 0)
    }

    /// Returns the position of one of the keys.
    mutating func place(of key: Int64) -> Int {
        if key != last.key { last = (key, places[key] ?? 0) }
        return last.place
    }
}
