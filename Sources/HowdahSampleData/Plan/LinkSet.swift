import HowdahModel

/// The links of one relationship between the objects of its two sides, within the bounds of both.
struct LinkSet {
    let shape: RelationshipSides
    /// The objects of each side, as indexes into the graph.
    let objects: [[Int]]
    /// For each object of each side, the positions of its partners on the other side.
    private(set) var partners: [[[Int]]]
    /// The objects that cannot have as many links as they must.
    private(set) var failed: [(side: Int, position: Int)] = []

    /// Those with room for a link, of each side.
    private var open: [Pool]
    /// Those with too few links, of each side.
    private var needy: [Pool]
    /// The order in which some are preferred, so that some owners have many members.
    private var favourites: [[Int]]

    init(_ shape: RelationshipSides, _ objects: [[Int]], _ random: inout SplitMix64) {
        self.shape = shape
        self.objects = shape.isSymmetric ? [objects[0]] : objects
        let shapes = shape.sides
        partners = self.objects.map { Array(repeating: [], count: $0.count) }
        open = zip(shapes, self.objects).map { Pool($0.most > 0 ? 0..<$1.count : 0..<0, of: $1.count) }
        needy = zip(shapes, self.objects).map { Pool($0.least > 0 ? 0..<$1.count : 0..<0, of: $1.count) }
        favourites = []
        for side in self.objects {
            var order = Array(side.indices)
            random.shuffle(&order)
            favourites.append(order)
        }
        // Who needs more is served first: a need for one is met by what is left more easily.
        let sides = self.objects.indices.sorted { shapes[$0].least > shapes[$1].least }
        for side in sides {
            for position in self.objects[side].indices
            where !fill(side, position, to: shapes[side].least, &random) {
                failed.append((side, position))
            }
        }
        guard failed.isEmpty else { return }
        for side in sides where shapes[side].wish > shapes[side].least {
            for position in self.objects[side].indices {
                _ = fill(side, position, to: shapes[side].wish, &random)
            }
        }
        addMore(&random)
    }

    // MARK: Links

    private func canConnect(_ side: Int, _ position: Int, _ other: Int, allowsSelf: Bool) -> Bool {
        let opposite = shape.opposite(side)
        guard open[opposite].contains(other), partners[side][position].count < shape.sides[side].most else {
            return false
        }
        if objects[side][position] == objects[opposite][other], shape.isSymmetric || !allowsSelf {
            return false
        }
        return !partners[side][position].contains(other)
    }

    private mutating func connect(_ side: Int, _ position: Int, _ other: Int) {
        let opposite = shape.opposite(side)
        for (side, position, partner) in [(side, position, other), (opposite, other, position)] {
            partners[side][position].append(partner)
            let count = partners[side][position].count
            if count >= shape.sides[side].most { open[side].remove(position) }
            if count >= shape.sides[side].least { needy[side].remove(position) }
        }
    }

    /// Adds links until there are `count`; false where that cannot be.
    private mutating func fill(
        _ side: Int, _ position: Int, to count: Int, _ random: inout SplitMix64
    ) -> Bool {
        while partners[side][position].count < count {
            guard let other = partner(for: position, on: side, isNeeded: true, &random) else { return false }
            connect(side, position, other)
        }
        return true
    }

    private func partner(
        for position: Int, on side: Int, isNeeded: Bool, _ random: inout SplitMix64
    ) -> Int? {
        let opposite = shape.opposite(side)
        let pool = open[opposite].items
        guard !pool.isEmpty else { return nil }
        let needs = needy[opposite].items
        for attempt in 0..<8 {
            let draw = random.fraction()
            let (candidates, part) =
                if attempt < 4, !needs.isEmpty { (needs, draw) } else if attempt < 6 {
                    (favourites[opposite], draw * draw)
                } else { (pool, draw) }
            let candidate = candidates[min(candidates.count - 1, Int(Double(candidates.count) * part))]
            if canConnect(side, position, candidate, allowsSelf: false) { return candidate }
        }
        let start = random.below(pool.count)
        for allowsSelf in isNeeded ? [false, true] : [false] {
            for offset in pool.indices {
                let candidate = pool[(start + offset) % pool.count]
                if canConnect(side, position, candidate, allowsSelf: allowsSelf) { return candidate }
            }
        }
        return nil
    }

    /// Links beyond what must be, in natural sizes.
    private mutating func addMore(_ random: inout SplitMix64) {
        for position in objects[0].indices {
            let target =
                shape.sides[0].most == 1
                ? (random.chance(3, in: 4) ? 1 : 0) : random.pick([0, 1, 1, 2, 3, 8])
            while partners[0][position].count < min(target, shape.sides[0].most) {
                guard let other = partner(for: position, on: 0, isNeeded: false, &random) else { break }
                connect(0, position, other)
            }
        }
        for side in objects.indices where shape.sides[side].relationship?.isOrdered == true {
            for position in objects[side].indices { random.shuffle(&partners[side][position]) }
        }
    }

    // MARK: Changes

    /// Whether an object of the first side can be given another partner without breaking what the sides must have.
    func canLeave(_ position: Int) -> Bool {
        guard !shape.isSymmetric, shape.sides[0].most == 1, let old = partners[0][position].first else {
            return false
        }
        return partners[1][old].count > shape.sides[1].least
    }

    func canMove(_ position: Int, to other: Int) -> Bool {
        partners[0][position].first == other
            || canLeave(position) && open[1].contains(other) && objects[0][position] != objects[1][other]
    }

    /// Gives an object of the first side, a to-one, another partner or none.
    mutating func move(_ position: Int, to other: Int?) {
        if let old = partners[0][position].first {
            if old == other { return }
            partners[1][old].removeAll { $0 == position }
            open[1].insert(old)
        }
        partners[0][position] = []
        open[0].insert(position)
        if let other { connect(0, position, other) }
    }
}
