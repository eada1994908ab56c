/// The positions of entities in a model's hierarchies. It tolerates the faults that validation reports.
///
/// It is made in one pass over the entities, and used by position: a deep hierarchy costs as much per step as
/// a flat one.
struct EntityIndex: Sendable {
    let positions: [String: Int]
    /// The direct subentities, sorted by name, so that nothing derived from them depends on the order in the
    /// model.
    let subentities: [String: [String]]
    /// The superentities by position; nil for a root, and if the superentity is not in the model.
    let superentities: [Int?]
    /// The positions of the entities that are their own superentity, directly or through others.
    let cyclic: Set<Int>
    /// The position of the topmost superentity of each entity.
    private let roots: [Int]
    /// Each entity's own properties by name; the first one if there are two.
    private let ownProperties: [[String: Int]]

    init(_ entities: [EntityDescription]) {
        let positions = Dictionary(
            entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        superentities = entities.map { $0.superentity.flatMap { positions[$0] } }
        var subentities: [String: [String]] = [:]
        for entity in entities.indices.sorted(by: { entities[$0].name < entities[$1].name })
        where positions[entities[entity].name] == entity {
            guard let superentity = superentities[entity] else { continue }
            subentities[entities[superentity].name, default: []].append(entities[entity].name)
        }
        self.positions = positions
        self.subentities = subentities
        ownProperties = entities.map { entity in
            Dictionary(
                entity.properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        }
        (roots, cyclic) = Self.roots(superentities)
    }

    private static func roots(_ superentities: [Int?]) -> (roots: [Int], cyclic: Set<Int>) {
        var roots: [Int?] = Array(repeating: nil, count: superentities.count)
        var cyclic: Set<Int> = []
        /// The walk in which each entity was visited last, so that a walk detects its own entities.
        var visits: [Int] = Array(repeating: -1, count: superentities.count)
        for start in superentities.indices {
            var path: [Int] = []
            var place: Int? = start
            while let next = place, roots[next] == nil, visits[next] != start {
                visits[next] = start
                path.append(next)
                place = superentities[next]
            }
            if let place, roots[place] == nil, let first = path.firstIndex(of: place) {
                cyclic.formUnion(path[first...])
            }
            let root = place.flatMap { roots[$0] } ?? path.last ?? start
            for position in path { roots[position] = root }
        }
        return (roots.enumerated().map { $1 ?? $0 }, cyclic)
    }

    /// Returns the topmost superentity of an entity, or itself; nil for an unknown name.
    func root(of name: String) -> Int? { positions[name].map { roots[$0] } }

    /// Returns the entity and its superentities, nearest first. A cycle ends before it repeats.
    func lineage(of name: String) -> [Int] {
        var result: [Int] = []
        var place = positions[name]
        var seen: Set<Int> = []
        while let next = place, cyclic.isEmpty || seen.insert(next).inserted {
            result.append(next)
            place = superentities[next]
        }
        return result
    }

    /// Returns the nearest entity, from this one upwards, that declares a property, and the position of the
    /// property.
    func declaration(of property: String, in name: String) -> (entity: Int, property: Int)? {
        var place = positions[name]
        var seen: Set<Int> = []
        while let next = place, cyclic.isEmpty || seen.insert(next).inserted {
            if let found = ownProperties[next][property] { return (next, found) }
            place = superentities[next]
        }
        return nil
    }

    /// Returns the entity and everything below it, each before its subentities.
    func descendants(of name: String) -> [Int] {
        var result: [Int] = []
        var pending = positions[name] == nil ? [] : [name]
        var seen: Set<Int> = []
        while let next = pending.popLast() {
            guard let position = positions[next], seen.insert(position).inserted else { continue }
            result.append(position)
            pending.append(contentsOf: (subentities[next] ?? []).reversed())
        }
        return result
    }
}
