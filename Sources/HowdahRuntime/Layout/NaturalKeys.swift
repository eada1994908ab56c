import HowdahModel

/// The natural keys of entities: for each the first of the uppermost uniqueness constraints with required
/// members.
///
/// A member is an attribute of a type with one spelling per value, or a to-one to an entity that has a
/// natural key itself. An entity shares the key of its superentity, so that a reference only needs the
/// destination. An entity without such a constraint may have one with optional members. It finds objects that
/// have all of them, and names none.
package struct NaturalKeys: Sendable {
    package struct Key: Sendable {
        /// The position of the entity that declares the constraint.
        package let entity: Int
        package let slots: [Int]
        /// The members that ignore case, by their positions.
        let folded: Set<Int>
        /// The number of nested references: 0 if all members are attributes.
        package let depth: Int
    }

    private let keys: [Key?]
    private let finding: [Key?]
    /// The greatest depth of all keys.
    package let depth: Int

    init(_ layouts: [EntityLayout], _ schema: StoreSchema) {
        var search = Search(layouts, schema)
        let keys = layouts.map { search.key(of: $0) }
        self.keys = keys
        finding = layouts.map { keys[$0.index] ?? search.optionalKey(of: $0) }
        depth = finding.compactMap(\.self?.depth).max() ?? 0
    }

    /// Returns the key that each object has.
    package subscript(layout: EntityLayout) -> Key? { keys[layout.index] }

    /// Returns the key for finding objects: the one that each has, or otherwise one that some have.
    package func finding(_ layout: EntityLayout) -> Key? { finding[layout.index] }

    /// Returns the key paths of the members' attributes, in the order of the members.
    package func paths(of layout: EntityLayout, in layouts: [EntityLayout]) -> [String] {
        (self[layout]?.slots ?? []).flatMap { slot -> [String] in
            let name = layout.slots[slot].name
            guard let relationship = layout.slots[slot].relationship else { return [name] }
            return paths(of: layouts[relationship.destination], in: layouts).map { "\(name).\($0)" }
        }
    }

    private struct Search {
        private let layouts: [EntityLayout]
        private let schema: StoreSchema
        private let places: [String: Int]
        private var known: [Int: Key?] = [:]
        private var open: Set<Int> = []

        init(_ layouts: [EntityLayout], _ schema: StoreSchema) {
            self.layouts = layouts
            self.schema = schema
            places = Dictionary(layouts.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
        }

        mutating func key(of layout: EntityLayout) -> Key? {
            if let key = known[layout.index] { return key }
            // A key that leads back to itself tells nothing.
            guard open.insert(layout.index).inserted else { return nil }
            defer { open.remove(layout.index) }
            var found: Key?
            for (declaring, members) in constraints(of: layout) {
                found = key(declaring, members, of: layout)
                if found != nil { break }
            }
            known[layout.index] = .some(found)
            return found
        }

        /// Returns the uppermost constraint with any key members.
        mutating func optionalKey(of layout: EntityLayout) -> Key? {
            for (declaring, members) in constraints(of: layout) {
                if let key = key(declaring, members, of: layout, mayLack: true) { return key }
            }
            return nil
        }

        private func constraints(of layout: EntityLayout) -> [(EntityLayout, [String])] {
            let table = schema.entities[layout.name].flatMap { schema.table(named: $0.table) }
            var found: [(EntityLayout, [String])] = []
            for unique in table?.uniques ?? [] {
                guard let declaring = places[unique.origin.entity].map({ layouts[$0] }),
                    declaring.family.contains(layout.index),
                    !isOneToOne(unique.origin.properties, of: layout)
                else { continue }
                found.append((declaring, unique.origin.properties))
            }
            return found.enumerated()
                .sorted { (-$0.element.0.family.count, $0.offset) < (-$1.element.0.family.count, $1.offset) }
                .map(\.element)
        }

        /// Returns true if the rows are unique because a one-to-one relationship is.
        ///
        /// Objects may change owners, and stay the same objects.
        private func isOneToOne(_ members: [String], of layout: EntityLayout) -> Bool {
            guard members.count == 1, let slot = layout.slotsByName[members[0]],
                let relationship = layout.slots[slot].relationship
            else { return false }
            return relationship.inverse != nil && !relationship.inverseIsToMany
        }

        private mutating func key(
            _ declaring: EntityLayout, _ members: [String], of layout: EntityLayout, mayLack: Bool = false
        ) -> Key? {
            var slots: [Int] = []
            var folded: Set<Int> = []
            var depth = 0
            for name in members {
                guard let slot = layout.slotsByName[name] else { return nil }
                switch layout.slots[slot].kind {
                case .attribute(let attribute):
                    guard attribute.isKeyMember, mayLack || !attribute.isOptional,
                        layout.slots[slot].columns.count == 1
                    else { return nil }
                    if layout.columns[layout.slots[slot].columns.lowerBound].isCaseInsensitive {
                        folded.insert(slots.count)
                    }
                case .toOne(let relationship):
                    guard mayLack || !relationship.isOptional, case .foreignKey = relationship.storage,
                        let key = key(of: layouts[relationship.destination])
                    else { return nil }
                    depth = max(depth, key.depth + 1)
                case .toMany: return nil
                }
                slots.append(slot)
            }
            return slots.isEmpty
                ? nil : Key(entity: declaring.index, slots: slots, folded: folded, depth: depth)
        }
    }
}

extension AttributeLayout {
    fileprivate var isKeyMember: Bool {
        guard !isDerived, !isTransient else { return false }
        switch type.kind {
        case .undefined, .transformable, .composite, .array: return false
        default: return true
        }
    }
}
