/// The positions of a store's entities in its layouts, by name and stored name.
final class EntityDirectory: Sendable {
    private let byName: [String: Int]
    private let byStoredName: [String: Int]

    init(names: [(name: String, storedName: String)]) {
        var byName: [String: Int] = [:]
        var byStoredName: [String: Int] = [:]
        for (index, entity) in names.enumerated() {
            byName[entity.name] = index
            byStoredName[entity.storedName] = index
        }
        self.byName = byName
        self.byStoredName = byStoredName
    }

    func index(ofEntity name: String) -> Int? { byName[name] }

    func index(ofStoredName name: String) -> Int? { byStoredName[name] }
}
