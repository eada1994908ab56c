extension SchemaBuilder {
    private typealias Trigger = StoreSchema.Trigger

    /// Each goes to the table whose rows disappear first: for links that is the table of links, because its foreign
    /// keys have taken them away by the time that a trigger of the owner runs.
    mutating func addDeleteTriggers() {
        let places = Dictionary(
            tables.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        for pair in pairs.values.sorted(by: { $0.key < $1.key }) where pair.relationship.hasDeleteTrigger {
            for (table, name, duty) in duties(of: pair) {
                guard let index = places[table] else { continue }
                tables[index].triggers.append(
                    Trigger(
                        name: name, origin: StoreSchema.Origin(pair.key.entity, [pair.key.name]), duty: duty))
            }
        }
    }

    private func duties(of pair: RelationshipPair) -> [(table: String, name: String, Trigger.Duty)] {
        let (owner, destination) = (key(of: pair.key.entity), key(of: pair.relationship.destination))
        switch (pair.storage, pair.relationship.deleteRule) {
        case (.ownColumn, let rule) where !pair.isSelfInverse && (rule == .cascade || rule == .deny):
            let column = columnName(pair.key.identity)
            return [
                (
                    owner.table, "\(owner.table)_\(column)_\(rule == .cascade ? "cascade" : "deny")",
                    rule == .cascade
                        ? .follow(column: column, to: destination) : .refuse(column: column, to: destination)
                )
            ]
        case (.joinTable, .cascade):
            return ends(of: pair).map { table, own, other in
                (
                    table, "\(table)_\(other)_cascade",
                    .followLinks(column: own, of: owner, other: other, to: destination)
                )
            }
        case (.joinTable, .noAction):
            return ends(of: pair).map { table, own, _ in
                (
                    owner.table, "\(table)_\(own)_unlink",
                    .unlink(key: owner.column, from: Trigger.Place(table: table, column: own))
                )
            }
        default: return []
        }
    }

    private func key(of entity: String) -> Trigger.Place {
        Trigger.Place(table: tableName(of: entity), column: keyColumn(of: entity))
    }

    /// The columns of a table of links as the relationship sees them; both ways round where it is its own inverse.
    private func ends(of pair: RelationshipPair) -> [(table: String, own: String, other: String)] {
        if let join = joins[pair.key] {
            let ends = [(join.name, join.own, join.other)]
            return pair.isSelfInverse ? ends + [(join.name, join.other, join.own)] : ends
        }
        guard let inverse = pair.inverseKey, let join = joins[inverse] else { return [] }
        return [(join.name, join.other, join.own)]
    }

    mutating func checkDeleteTrigger(of property: PropertyDescription, in entity: EntityDescription) {
        guard let text = property.userInfo[MappingKey.deleteTrigger] else { return }
        if MappingKey.flag(text) == nil || property.relationship?.isTransient != false {
            report(
                .invalidMapping, entity.name, property.name,
                property.relationship?.isTransient == false
                    ? "\(MappingKey.deleteTrigger) is neither \"YES\" nor \"NO\". Correct or remove the key."
                    : "Only stored relationships can have \(MappingKey.deleteTrigger). Remove the key."
            )
        }
    }
}
