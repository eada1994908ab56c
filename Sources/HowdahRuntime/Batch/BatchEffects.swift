import HowdahModel
import PQClient

/// The effects of the rows that a batch request wrote: versions of owners, places in ordered lists, and
/// derived attributes.
///
/// The model determines them before any statement is sent.
struct BatchEffects {
    /// The number of rows beyond which derived attributes are compared rather than named.
    private static let mostNamed = BatchStatement.mostNamed

    /// A to-one whose destination keeps its members: the inverse is ordered or counted.
    private struct Kept {
        let slot: Int
        let columns: ForeignKeyColumns
        let owner: EntityLayout
        /// The slot of the members in the owner.
        let inverse: Int
    }

    private let layout: EntityLayout
    private let kept: [Kept]
    /// The groups that depend on the rows themselves, and those that depend on the destinations of a slot.
    private var ofRows: [DerivedGroup] = []
    private var ofDestinations: [(group: DerivedGroup, slot: Int)] = []
    /// The groups whose rows are found by comparing all of them.
    private var compared: [DerivedGroup] = []
    /// The dependencies of the rows of `compared` on the changed rows; nil if they are not known for each
    /// group.
    private var sources: [DerivedSource]? = []
    private var isDeletion = false
    /// The references that a deletion clears.
    private(set) var cleared: ClearedReferences?

    /// Rows with derived attributes that are changed rows, or one relationship away from them.
    private struct DerivedSource {
        /// The position of the group in `compared`.
        let group: Int
        /// The statement that returns the keys of the rows, given those of the changed rows; nil if they are
        /// the same rows.
        let selection: String?
    }

    /// Creates the effects of inserted rows.
    ///
    /// - Parameter meetsRows: Indicates whether existing rows may be changed instead.
    init(inserting layout: EntityLayout, in layouts: StoreLayout, meetsRows: Bool) {
        self.layout = layout
        kept = layout.relationshipSlots.compactMap { slot in
            let relationship = layout.relationship(slot)
            let destination = layouts.entities[relationship.destination]
            guard case .foreignKey(let columns) = relationship.storage,
                let inverse = relationship.inverse,
                destination.relationship(inverse).isKeptByOwner
            else { return nil }
            return Kept(slot: slot, columns: columns, owner: destination, inverse: inverse)
        }
        for group in layouts.derivedGroups {
            let places = group.places(ofRowsOf: layout)
            if places.isEmpty {
                if meetsRows, group.hasSource(in: layout, slots: nil) { compared.append(group) }
            } else if meetsRows || places.contains(where: { $0.step > 0 }) {
                compared.append(group)
            } else {
                for place in places {
                    if let slot = place.destinationSlot {
                        ofDestinations.append((group, slot))
                    } else {
                        ofRows.append(group)
                    }
                }
            }
        }
    }

    /// Creates the effects of rows with changed slots.
    init(updating slots: Set<Int>, of layout: EntityLayout, in layouts: StoreLayout) {
        self.layout = layout
        kept = []
        for group in layouts.derivedGroups {
            let steps = group.steps(updating: slots, of: layout)
            if steps.isEmpty { continue }
            compared.append(group)
            if steps.contains(where: { $0 > 1 }) { sources = nil }
            sources? += steps.sorted().map { step in
                DerivedSource(
                    group: compared.count - 1,
                    selection: step == 0 ? nil : DerivedStatements.owners(group, limit: Self.mostNamed + 1))
            }
        }
    }

    /// Creates the effects of deleted rows.
    init(deleting layout: EntityLayout, in layouts: StoreLayout) {
        self.layout = layout
        kept = []
        compared = layouts.derivedGroups(deleting: layout)
        isDeletion = true
        cleared = ClearedReferences(deleting: layout, in: layouts)
        let reach = DeletionReach(layout, in: layouts)
        for (place, group) in compared.enumerated() {
            guard let columns = reach?.columns(to: group) else {
                sources = nil
                return
            }
            sources? += columns.map {
                DerivedSource(
                    group: place,
                    selection: DerivedStatements.owners(group, through: $0, limit: Self.mostNamed + 1))
            }
        }
    }

    /// A Boolean value that indicates whether there are any effects.
    var isEmpty: Bool {
        cleared == nil && isWithoutFollowers
    }

    /// A Boolean value that indicates whether no other rows have to be computed after the statement.
    private var isWithoutFollowers: Bool {
        kept.isEmpty && ofRows.isEmpty && ofDestinations.isEmpty && compared.isEmpty
    }

    /// A Boolean value that indicates whether the keys of new rows are needed.
    var needsKeys: Bool { !ofRows.isEmpty }

    /// The to-ones whose destinations are needed.
    var watchedSlots: Set<Int> { Set(kept.map(\.slot) + ofDestinations.map(\.slot)) }

    /// The to-ones that only new rows may set.
    var keptSlots: Set<Int> { Set(kept.map(\.slot)) }

    /// Runs the statement with its rows locked, and computes the derived attributes that depend on them.
    ///
    /// - Returns: The result; nil, without any effect, if the dependent rows cannot be named or too many rows
    ///   change.
    func run(
        _ statement: BatchStatement, _ transaction: SaveTransaction, _ outcome: inout BatchOutcome
    ) throws -> QueryResult? {
        guard let sources, !sources.isEmpty, kept.isEmpty, ofRows.isEmpty, ofDestinations.isEmpty else {
            return nil
        }
        var changed =
            try statement.keys
            ?? transaction.run([statement.locked(limit: Self.mostNamed + 1)])[0].map { $0[0].int64 }
        if changed.count > Self.mostNamed { return nil }
        if statement.readsOtherRows {
            changed = try transaction.run([statement.stillMeant(changed)])[0].map { $0[0].int64 }.sorted()
        }
        var parameters = Parameters()
        parameters.append(changed)
        let selections = sources.compactMap { source in
            source.selection.map { SaveStatement($0, parameters, about: StatementSubject(.select)) }
        }
        // The rows that followed from them before, and those that follow from them after.
        let later = isDeletion ? [] : selections
        let clearing = statement.clearing?.statements ?? []
        let results = try transaction.run(selections + clearing + [statement.changing(changed)] + later)
        let own = selections.count + clearing.count
        outcome.cleared = statement.clearing?.rows(results[selections.count..<own]) ?? []
        var rows: [Int: Set<Int64>] = [:]
        var next = 0
        for source in sources {
            guard source.selection != nil else {
                rows[source.group, default: []].formUnion(changed)
                continue
            }
            for place in [next] + (isDeletion ? [] : [own + 1 + next]) {
                rows[source.group, default: []].formUnion(results[place].map { $0[0].int64 })
            }
            next += 1
        }
        var statements: [SaveStatement] = []
        var others: [DerivedGroup] = []
        for (place, group) in compared.enumerated() {
            var keys = rows[place] ?? []
            if keys.count > Self.mostNamed {
                others.append(group)
                continue
            }
            if isDeletion, group.layout.root == layout.root { keys.subtract(changed) }
            if keys.isEmpty { continue }
            statements += group.statements(computing: keys)
            outcome.followers.append(group.followers(keys))
        }
        if !statements.isEmpty { _ = try transaction.run(statements) }
        try compare(others, transaction, &outcome)
        return results[own]
    }

    /// Runs the effects, in the transaction of the rows.
    func run(
        _ transaction: SaveTransaction, _ destinations: [Int: Set<Int64>], _ outcome: inout BatchOutcome
    ) throws {
        for kept in kept {
            let owners = (destinations[kept.slot] ?? []).sorted()
            if owners.isEmpty { continue }
            try note(owners, kept, transaction)
            outcome.followers.append(
                .init(layout: kept.owner, keys: owners, slots: SlotSet([kept.inverse])))
        }
        var compared = compared
        var statements: [SaveStatement] = []
        let named =
            ofRows.map { ($0, Set(outcome.insertedKeys)) }
            + ofDestinations.map { ($0.group, destinations[$0.slot] ?? []) }
        for (group, keys) in named where !keys.isEmpty {
            if keys.count > Self.mostNamed {
                compared.append(group)
            } else {
                statements += group.statements(computing: keys)
                outcome.followers.append(group.followers(keys))
            }
        }
        if !statements.isEmpty { _ = try transaction.run(statements) }
        try compare(compared, transaction, &outcome)
    }

    /// Finds the rows with wrong derived attributes, among all rows, and computes these.
    private func compare(
        _ groups: [DerivedGroup], _ transaction: SaveTransaction, _ outcome: inout BatchOutcome
    ) throws {
        if groups.isEmpty { return }
        let wrong = try transaction.run(groups.map(DerivedStatements.wrongRows))
        var statements: [SaveStatement] = []
        for (group, result) in zip(groups, wrong) {
            let keys = Set(result.map { $0[0].int64 })
            if keys.isEmpty { continue }
            statements += group.statements(computing: keys)
            outcome.followers.append(group.followers(keys))
        }
        if !statements.isEmpty { _ = try transaction.run(statements) }
    }

    /// Increments the owners' versions, which locks them, and places new members after the present ones.
    private func note(_ owners: [Int64], _ kept: Kept, _ transaction: SaveTransaction) throws {
        var parameters = Parameters()
        parameters.append(owners)
        let (key, version) = (kept.owner.table.key.name, try kept.owner.table.writtenVersion())
        var statements = [
            SaveStatement(
                "UPDATE \(kept.owner.table) SET \(version) = \(version) + 1 WHERE \(key) = ANY($1)",
                parameters, about: .init(.update, kept.owner.table.subject))
        ]
        if let order = kept.columns.orderColumn {
            let (table, column) = (kept.columns.table, kept.columns.column)
            parameters.append(OrderNumbers.step)
            // Keys ascend in the order of the source.
            statements.append(
                SaveStatement(
                    "UPDATE \(table) t SET \(order) = v.o FROM (SELECT \(table.key("m")) AS k, coalesce(l.o, 0) + $2 * "
                        + "pg_catalog.row_number() OVER (PARTITION BY m.\(column) ORDER BY \(table.key("m"))) AS o FROM \(table) m "
                        + "JOIN (SELECT o.\(column) AS c, pg_catalog.max(o.\(order)) AS o FROM \(table) o WHERE o.\(column) = ANY($1) "
                        + "GROUP BY o.\(column)) l ON l.c = m.\(column) WHERE m.\(order) IS NULL) v WHERE \(table.key("t")) = v.k",
                    parameters, about: .init(.update, table.subject)))
        }
        _ = try transaction.run(statements)
    }
}

extension EntityLayout {
    /// Returns a Boolean value that indicates whether a row can be of both entities.
    fileprivate func sharesRows(with other: EntityLayout) -> Bool {
        root == other.root && !Set(family).isDisjoint(with: other.family)
    }
}

extension DerivedGroup {
    /// Returns rows whose attributes were computed.
    fileprivate func followers(_ keys: Set<Int64>) -> BatchOutcome.Rows {
        BatchOutcome.Rows(layout: layout, keys: keys.sorted(), slots: SlotSet(members.map(\.slot)))
    }

    /// Returns the statements that compute the attributes of rows.
    fileprivate func statements(computing keys: Set<Int64>) -> [SaveStatement] {
        DerivedStatements(self, [keys] + Array(repeating: [], count: hops.count)).all { [] }
    }

    /// Returns the steps at which new rows of an entity join the path: themselves, or by a to-one back along
    /// it.
    fileprivate func places(ofRowsOf layout: EntityLayout) -> [(step: Int, destinationSlot: Int?)] {
        var found: [(step: Int, destinationSlot: Int?)] = []
        for (step, hop) in hops.enumerated() {
            switch hop.storage {
            case .foreignKey:
                // Nothing leads to a new row yet, so that only the first step can be one.
                if step == 0, places[0].sharesRows(with: layout) { found.append((step, nil)) }
            case .inverse:
                if let slot = hop.inverse, places[step + 1].sharesRows(with: layout) {
                    found.append((step, slot))
                }
            case .join, .memory: break
            }
        }
        return found
    }

    /// Returns the steps on the path at which a change of slots of an entity's rows makes a difference.
    fileprivate func steps(updating slots: Set<Int>, of layout: EntityLayout) -> Set<Int> {
        var steps: Set<Int> = hasSource(in: layout, slots: slots) ? [hops.count] : []
        for (step, hop) in hops.enumerated() {
            switch hop.storage {
            case .foreignKey:
                if places[step].sharesRows(with: layout), slots.contains(hop.slot) { steps.insert(step) }
            case .inverse:
                if places[step + 1].sharesRows(with: layout), hop.inverse.map(slots.contains) ?? false {
                    steps.insert(step + 1)
                }
            case .join, .memory: break
            }
        }
        return steps
    }

    /// Returns a Boolean value that indicates whether values come from an entity's attributes; nil slots mean
    /// all of them.
    fileprivate func hasSource(in layout: EntityLayout, slots: Set<Int>?) -> Bool {
        places.last?.sharesRows(with: layout) == true
            && members.contains { member in
                member.source.map { slots?.contains($0) ?? true } ?? false
            }
    }
}
