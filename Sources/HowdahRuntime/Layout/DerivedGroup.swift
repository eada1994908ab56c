import HowdahModel
import PQClient

/// Derived attributes of one entity that depend on the same other rows, across the same relationships.
struct DerivedGroup: Sendable {
    /// The entity that declares the attributes.
    let layout: EntityLayout
    /// The path from the entity's rows to those that the values come from.
    let hops: [RelationshipLayout]
    /// The entities along the path, its own first.
    let places: [EntityLayout]
    var members: [Member]

    struct Member: Sendable {
        let slot: Int
        let function: Function
        /// The slot of the attribute at the end of the path; nil for counts.
        let source: Int?
        /// Its column, quoted.
        let column: String
    }

    enum Function: Sendable { case copy, count, sum }

    /// A Boolean value that indicates whether the rows at the end must be locked.
    ///
    /// They can otherwise change their values unseen by a save that changed the path.
    var locksSources: Bool {
        members.contains { member in
            switch member.function {
            case .copy: true
            case .count: false
            case .sum: if case .join = hops[0].storage { true } else { false }
            }
        }
    }

    /// Returns a Boolean value that indicates whether the attributes are those of another group of the store.
    func isSame(as other: Self) -> Bool {
        layout === other.layout && hops.elementsEqual(other.hops, by: ===)
    }

    /// Returns all groups of a store, in a fixed order.
    static func all(_ layouts: [EntityLayout], _ model: ManagedObjectModel, _ schema: StoreSchema) -> [Self] {
        var groups: [Self] = []
        for layout in layouts {
            for attribute in model[layout.name]?.properties.compactMap(\.attribute) ?? [] {
                guard let group = group(of: attribute, in: layout, layouts, schema) else { continue }
                let known = groups.firstIndex { $0.isSame(as: group) }
                if let known { groups[known].members += group.members } else { groups.append(group) }
            }
        }
        return groups.sorted { ($0.layout.table, $0.layout.name) < ($1.layout.table, $1.layout.name) }
    }

    private static func group(
        of attribute: AttributeDescription, in layout: EntityLayout, _ layouts: [EntityLayout],
        _ schema: StoreSchema
    ) -> Self? {
        let function: Function
        var path: [String]
        switch attribute.derivation?.kind {
        case .copy(let names): (function, path) = (.copy, names)
        case .count(let name): (function, path) = (.count, [name])
        case .sum(let name, let names): (function, path) = (.sum, [name] + names)
        default: return nil
        }
        var hops: [RelationshipLayout] = []
        var places = [layout]
        while let name = path.first, let relationship = places.last?.relationship(named: name) {
            hops.append(relationship)
            places.append(layouts[relationship.destination])
            path.removeFirst()
        }
        guard !hops.isEmpty, let place = places.last, let slot = layout.slotsByName[attribute.name] else {
            return nil
        }
        var column = ""
        if let name = path.first {
            guard case .attribute(let mapping)? = schema.entities[place.name]?.property(named: name)?.mapping,
                let found = mapping.columns.first(where: { $0.path == path })
            else { return nil }
            column = SQLIdentifier.quoted(found.name)
        }
        let source = path.first.flatMap { place.slotsByName[$0] }
        return Self(
            layout: layout, hops: hops, places: places,
            members: [Member(slot: slot, function: function, source: source, column: column)])
    }
}

extension EntityLayout {
    fileprivate func relationship(named name: String) -> RelationshipLayout? {
        slotsByName[name].flatMap { slots[$0].relationship }
    }
}

extension DerivedGroup: CustomStringConvertible {
    var description: String {
        let names = members.map { layout.slots[$0.slot].name }.joined(separator: ", ")
        return "\(layout.name) (\(names)) by \(hops.map(\.name).joined(separator: "."))"
    }
}
