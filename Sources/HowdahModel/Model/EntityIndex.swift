/// Who is where in a model's hierarchies; tolerates the faults that validation reports.
struct EntityIndex: Sendable {
    let positions: [String: Int]
    let superentities: [String: String]
    /// Direct subentities, sorted by name so that nothing derived from them depends on the order in the model.
    let subentities: [String: [String]]

    init(_ entities: [EntityDescription]) {
        positions = Dictionary(
            entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        let known = positions
        superentities = Dictionary(
            entities.compactMap { entity in
                entity.superentity.flatMap { known[$0] == nil ? nil : (entity.name, $0) }
            }, uniquingKeysWith: { first, _ in first })
        subentities = Dictionary(grouping: superentities.keys.sorted()) { [superentities] name in
            superentities[name] ?? name
        }
    }

    /// The entity and its superentities, nearest first; a cycle ends where it would begin again.
    func lineage(of name: String) -> [String] {
        guard positions[name] != nil else { return [] }
        var result = [name]
        while let last = result.last, let next = superentities[last], !result.contains(next) {
            result.append(next)
        }
        return result
    }

    /// The entity and everything below it, each before its subentities.
    func descendants(of name: String) -> [String] {
        var result: [String] = []
        var pending = positions[name] == nil ? [] : [name]
        var seen: Set<String> = []
        while let next = pending.popLast() {
            guard seen.insert(next).inserted else { continue }
            result.append(next)
            pending.append(contentsOf: (subentities[next] ?? []).reversed())
        }
        return result
    }
}
