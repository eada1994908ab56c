import HowdahModel

/// A fetch index for the filter and the order of a table, as code for the model.
struct IndexAdvice {
    let view: ObjectsView
    let guide: ModelGuide

    /// The code; nil if the filter and the order name no stored property of the entity.
    var code: String? {
        var names: [String] = []
        let filtered = view.filter.flatMap { try? PredicateTree(filter: $0) }?.keyPaths ?? []
        let sorted = view.sort.map { [$0.hasPrefix("-") ? String($0.dropFirst()) : $0] }
        for path in filtered + sorted where path.count == 1 && isStored(path[0]) && !names.contains(path[0]) {
            names.append(path[0])
        }
        if names.isEmpty { return nil }
        let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
        return "FetchIndexDescription(\"by_\(names.joined(separator: "_"))\", on: \(list))"
    }

    private func isStored(_ name: String) -> Bool {
        guard let property = guide.model.property(named: name, of: view.entity) else { return false }
        return property.attribute.map { $0.isStored && $0.type.composite == nil } ?? false
    }
}
