import HowdahModel
import HowdahRuntime

/// What a store's lines have in them, decided by the model alone: the order of the entities, and the properties of each.
///
/// Each link is written on the side that keeps it, and also where its order or its minimum has to be known.
struct GraphExportPlan {
    struct Entity {
        let layout: EntityLayout
        /// In the order of their names.
        let slots: [Int]
        /// Whether its objects have names in the document, for lack of a natural key.
        let hasNames: Bool
    }

    private(set) var entities: [Entity] = []
    /// The relationships that cannot be written, because nothing names their destinations.
    private(set) var omitted: [(layout: EntityLayout, slot: Int)] = []

    /// - Parameter only: the entity whose objects alone are exported; nil for all.
    init(_ layouts: StoreLayout, only: EntityLayout? = nil) {
        let all = layouts.entities
        let keys = layouts.naturalKeys
        let chosen = (only?.family ?? Array(all.indices)).map { all[$0] }.filter { !$0.isAbstract }
        var slots: [Int: [Int]] = [:]
        var named: Set<Int> = []
        for layout in chosen {
            for (slot, property) in layout.slots.enumerated() {
                guard let relationship = property.relationship else {
                    let isStored = !property.columns.isEmpty && layout.attribute(slot)?.isDerived == false
                    if isStored { slots[layout.index, default: []].append(slot) }
                    continue
                }
                guard relationship.isWritten else { continue }
                let nameless = all[relationship.destination].family.map { all[$0] }
                    .filter { keys[$0] == nil && !$0.isAbstract }
                if only != nil, !nameless.isEmpty {
                    omitted.append((layout, slot))
                    continue
                }
                named.formUnion(nameless.map(\.index))
                slots[layout.index, default: []].append(slot)
            }
        }
        entities = Self.ordered(chosen, slots, all).map { layout in
            Entity(
                layout: layout,
                slots: (slots[layout.index] ?? []).sorted {
                    layout.slots[$0].name.utf8.lexicographicallyPrecedes(layout.slots[$1].name.utf8)
                }, hasNames: named.contains(layout.index))
        }
    }

    /// Whatever an object needs comes before it, as far as there is no cycle, and what it may refer to rather than not;
    /// else by name.
    private static func ordered(
        _ chosen: [EntityLayout], _ slots: [Int: [Int]], _ all: [EntityLayout]
    ) -> [EntityLayout] {
        var needed: [Int: Set<Int>] = [:]
        var wanted: [Int: Set<Int>] = [:]
        for layout in chosen {
            for relationship in (slots[layout.index] ?? []).compactMap({ layout.slots[$0].relationship }) {
                let family = all[relationship.destination].family.filter { $0 != layout.index }
                if relationship.isNeeded {
                    needed[layout.index, default: []].formUnion(family)
                } else {
                    wanted[layout.index, default: []].formUnion(family)
                }
            }
        }
        var waiting = chosen.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        var left = Set(chosen.map(\.index))
        var result: [EntityLayout] = []
        while !waiting.isEmpty {
            let ranked = waiting.enumerated().map { place, layout in
                (
                    needed[layout.index]?.intersection(left).count ?? 0,
                    wanted[layout.index]?.intersection(left).count ?? 0, place
                )
            }
            guard let next = ranked.min(by: { $0 < $1 })?.2 else { break }
            let layout = waiting.remove(at: next)
            left.remove(layout.index)
            result.append(layout)
        }
        return result
    }
}

extension RelationshipLayout {
    /// Whether lines have it: one side is enough, but an order is known to its owner alone, and a minimum has to be met
    /// by the save that inserts the owner.
    fileprivate var isWritten: Bool {
        switch storage {
        case .foreignKey: true
        case .memory: false
        case .inverse: isToMany && (isOrdered || minCount > 0)
        case .join(let columns): columns.isPrimarySide || isSelfInverse || isOrdered || minCount > 0
        }
    }

    /// Whether an object cannot be saved without its destinations.
    var isNeeded: Bool {
        if isToMany { return minCount > 0 && !isOptional }
        if case .foreignKey = storage { return !isOptional }
        return false
    }
}
