/// One item of a plan's mapping: an entity that is made of another one, is new, or goes.
struct PlanEntityMapping: Hashable {
    /// What an item begins with.
    enum Act: String, CaseIterable {
        case make, add, remove
    }

    /// What a property becomes.
    struct Property: Hashable {
        let name: String
        let expression: String
        let line: Int
    }

    let act: Act
    /// Of the later model; of the earlier one where it is removed.
    let entity: String
    /// Of the earlier model; nil for the one that `entity` continues.
    let source: String?
    /// What expressions call the mapping; nil for `SourceToDestination`.
    let name: String?
    let filter: String?
    let properties: [Property]
    /// Properties that stay at their default, or empty.
    let left: [Property]
    /// Where it begins in the file, from 1.
    let line: Int

    /// The same wherever it stands.
    var unplaced: PlanEntityMapping {
        let plain = { (list: [Property]) in
            list.map { Property(name: $0.name, expression: $0.expression, line: 0) }
        }
        return PlanEntityMapping(
            act: act, entity: entity, source: source, name: name, filter: filter,
            properties: plain(properties), left: plain(left), line: 0)
    }
}
