import HowdahModel
import HowdahRuntime

/// The content of a store's lines: the order of the entities, and the properties of each.
///
/// Only the model determines it. Each link is written on the side that keeps it. It is also written on the
/// other side if its order or its minimum must be known there.
struct GraphExportPlan {
    struct Entity {
        let layout: EntityLayout
        /// The slots in the order of their names.
        let slots: [Int]
        /// A Boolean value that indicates whether its objects have names in the document, because they have
        /// no natural key.
        let hasNames: Bool
    }

    private(set) var entities: [Entity] = []
    /// The relationships that cannot be written, because their destinations have no name.
    private(set) var omitted: [(layout: EntityLayout, slot: Int)] = []

    /// - Parameter only: The only exported entity; nil for all.
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

    /// Returns the entities in order: unless there is a cycle, an object follows the objects that it needs.
    ///
    /// If possible, it also follows those that it may refer to. Otherwise the order is by name.
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
    /// A Boolean value that indicates whether lines have it.
    ///
    /// One side is enough. But only the owner knows an order, and the save that inserts the owner must meet a
    /// minimum.
    fileprivate var isWritten: Bool {
        switch storage {
        case .foreignKey: true
        case .memory: false
        case .inverse: isToMany && (isOrdered || minCount > 0)
        case .join(let columns): columns.isPrimarySide || isSelfInverse || isOrdered || minCount > 0
        }
    }

    /// A Boolean value that indicates whether an object cannot be saved without its destinations.
    var isNeeded: Bool {
        if isToMany { return minCount > 0 && !isOptional }
        if case .foreignKey = storage { return !isOptional }
        return false
    }
}
