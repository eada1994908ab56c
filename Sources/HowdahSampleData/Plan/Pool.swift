/// Numbers from 0 on, of which any can be taken out and a random one be picked at a constant cost.
struct Pool {
    private(set) var items: [Int]
    private var places: [Int]

    init(_ items: some Sequence<Int>, of count: Int) {
        self.items = Array(items)
        places = Array(repeating: -1, count: count)
        for (place, item) in self.items.enumerated() { places[item] = place }
    }

    func contains(_ item: Int) -> Bool { places[item] >= 0 }

    mutating func remove(_ item: Int) {
        let place = places[item]
        guard place >= 0, let last = items.popLast() else { return }
        if last != item {
            items[place] = last
            places[last] = place
        }
        places[item] = -1
    }

    mutating func insert(_ item: Int) {
        guard places[item] < 0 else { return }
        places[item] = items.count
        items.append(item)
    }
}
