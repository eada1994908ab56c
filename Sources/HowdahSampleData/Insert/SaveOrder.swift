import HowdahModel

/// In which saves the objects of a graph are inserted: whatever an object cannot be saved without is in the same
/// save or an earlier one.
struct SaveOrder {
    /// Indexes into the graph's objects, one list for each save.
    private(set) var batches: [[Int]] = []
    /// The save of each object.
    private(set) var batchOfObject: [Int]

    /// - Parameter size: how many objects a save has at least; more where objects need each other.
    init(_ data: SampleData, size: Int) {
        batchOfObject = Array(repeating: 0, count: data.objects.count)
        var batch: [Int] = []
        for group in Self.groups(needs: Self.needs(of: data)) {
            batch += group.sorted()
            if batch.count >= size {
                batches.append(batch)
                batch = []
            }
        }
        if !batch.isEmpty { batches.append(batch) }
        for (place, batch) in batches.enumerated() { for object in batch { batchOfObject[object] = place } }
    }

    /// For each object, those that it cannot be saved without.
    private static func needs(of data: SampleData) -> [[Int]] {
        var required: [String: [String: Int]] = [:]
        for name in data.entities.keys {
            for relationship in data.model.properties(of: name).compactMap(\.relationship) {
                let least = relationship.isToMany ? relationship.minCount : relationship.isOptional ? 0 : 1
                if least > 0 { required[name, default: [:]][relationship.name] = least }
            }
        }
        return data.objects.map { object in
            guard let counts = required[object.entityName] else { return [] }
            return object.links.flatMap { $0.members.prefix(counts[$0.relationship] ?? 0) }
        }
    }

    /// The strongly connected components, each after those that it needs.
    ///
    /// Source: Tarjan, Depth-first search and linear graph algorithms (1972); with a stack of its own, since chains
    /// of objects may be long.
    private static func groups(needs: [[Int]]) -> [[Int]] {
        var groups: [[Int]] = []
        var numbers = Array(repeating: -1, count: needs.count)
        var lowest = numbers
        var isOpen = Array(repeating: false, count: needs.count)
        var open: [Int] = []
        var next = 0
        for root in needs.indices where numbers[root] < 0 {
            var path = [(object: root, edge: 0)]
            while let (object, edge) = path.last {
                if edge == 0 {
                    (numbers[object], lowest[object], isOpen[object]) = (next, next, true)
                    open.append(object)
                    next += 1
                }
                if edge < needs[object].count {
                    path[path.count - 1].edge += 1
                    let other = needs[object][edge]
                    if numbers[other] < 0 {
                        path.append((other, 0))
                    } else if isOpen[other] {
                        lowest[object] = min(lowest[object], numbers[other])
                    }
                    continue
                }
                path.removeLast()
                if let parent = path.last?.object { lowest[parent] = min(lowest[parent], lowest[object]) }
                guard lowest[object] == numbers[object] else { continue }
                var group: [Int] = []
                repeat {
                    let member = open.removeLast()
                    isOpen[member] = false
                    group.append(member)
                } while group.last != object
                groups.append(group)
            }
        }
        return groups
    }
}
