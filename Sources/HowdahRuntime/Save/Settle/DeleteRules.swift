import HowdahModel
import PQClient

/// Applies delete rules from the deleted objects to everything that they reach, loaded or not, stored or new.
///
/// The foreign keys of the store are only a safety net.
struct DeleteRules {
    let context: ManagedObjectContext
    let transaction: SaveTransaction
    let changes: ChangeSet
    var settled: SettledChanges
    /// A Boolean value that indicates whether nothing is written, nor locked for it.
    private var isPreview: Bool { bounds != nil }
    /// The limits of a preview; nil for a save.
    private var bounds: PreviewBounds?
    private var denials: [DeleteDenial] = []
    /// For a preview: the rows to which links of deleted rows refer, by the relationship that has the links.
    private(set) var linked: [SettledChanges.Nullification: [Int64]] = [:]
    private var waveOfRows: [Int: [Int64]] = [:]
    private var waveOfNew: [ManagedObject] = []
    private let removedLinks: Set<Link>
    private lazy var pending = PendingEnds(changes, context.layouts)

    private struct Link: Hashable {
        let table: String
        let one: Int64
        let other: Int64
    }

    init(
        _ changes: ChangeSet, _ context: ManagedObjectContext, _ transaction: SaveTransaction, isLocked: Bool,
        previewing bounds: PreviewBounds? = nil
    ) {
        self.bounds = bounds
        self.changes = changes
        self.context = context
        self.transaction = transaction
        settled = SettledChanges(
            inserted: changes.inserted, updated: changes.updated, links: changes.links,
            lists: changes.lists, isLocked: isLocked)
        removedLinks = Set(
            changes.links.filter { !$0.isInsertion }.flatMap { link in
                [
                    Link(table: link.columns.table, one: link.owner.key, other: link.member.key),
                    Link(table: link.columns.table, one: link.member.key, other: link.owner.key),
                ]
            })
    }

    /// Returns all changes of the save.
    ///
    /// - Throws: `SaveError.conflict` if a row to write differs from the one that was read;
    ///   `SaveError.referentialIntegrity` naming object and relationship if a rule denies.
    consuming func settle() throws -> SettledChanges {
        if settled.isLocked { try RowLocks(context, transaction).lock(changes) }
        guard !changes.deleted.isEmpty || !changes.discarded.isEmpty else { return settled }
        try followAll()
        let issues = broken()
        guard issues.isEmpty else {
            throw SaveError(
                .referentialIntegrity,
                "A delete rule denies the deletion, because the object still has related objects. Nothing was "
                    + "saved. Delete these objects too, or set their relationship to another object, and save "
                    + "again.", issues: issues
            )
        }
        if context.store.history != nil {
            try readTombstones()
            settled.otherEnds = try OtherEnds(context, transaction).find(
                of: settled.deletedRows, asRead: changes.deleted)
        }
        finish()
        return settled
    }

    /// Reads the preserved values of deleted rows that are not loaded.
    private mutating func readTombstones() throws {
        for (root, rows) in settled.deletedRows {
            let unread = rows.filter { $1.tombstone == nil && $1.object?.isFault != false }
            for (entity, rows) in Dictionary(grouping: unread, by: \.value.entity) {
                let found = try referring.tombstones(of: rows.map(\.key).sorted(), context.layouts[entity])
                for (key, tombstone) in found { settled.deletedRows[root]?[key]?.tombstone = tombstone }
            }
        }
    }

    /// Finds everything that is deleted, loses a destination or forbids the deletion.
    mutating func followAll() throws {
        reserve()
        for object in changes.deleted { mark(object.layout.index, object.key) }
        for object in changes.discarded { drop(object) }
        while !waveOfRows.isEmpty || !waveOfNew.isEmpty, goesOn() {
            let (rows, objects) = (waveOfRows, waveOfNew)
            (waveOfRows, waveOfNew) = ([:], [])
            for (entity, keys) in rows.sorted(by: { $0.key < $1.key }) {
                try follow(context.layouts[entity], keys)
            }
            for object in objects { try follow(object) }
        }
    }

    /// A Boolean value that indicates whether a preview reached its limits and left rows out.
    var isCut: Bool { bounds?.isReached ?? false }

    /// Returns false if a preview reached one of its limits.
    private mutating func goesOn() -> Bool {
        bounds?.checkTime()
        return !isCut
    }

    private var referring: ReferringRows {
        ReferringRows(context, transaction, locks: !isPreview, limit: bounds?.limit)
    }

    /// Counts the rows of a preview, and leaves out those above its limit.
    private mutating func counted(_ rows: [ReferringRows.Row]) -> [ReferringRows.Row] {
        bounds == nil ? rows : Array(rows.prefix(bounds?.take(rows.count) ?? 0))
    }

    // MARK: What goes

    /// Makes room for many deletions at once, mostly of one entity.
    private mutating func reserve() {
        guard let first = changes.deleted.first, changes.deleted.count > 16 else { return }
        settled.deletedRows[first.layout.root, default: [:]].reserveCapacity(changes.deleted.count)
        waveOfRows[first.layout.index, default: []].reserveCapacity(changes.deleted.count)
    }

    private mutating func mark(_ entity: Int, _ key: Int64, _ tombstone: String? = nil) {
        let root = context.layouts[entity].root
        let object = context.registry.find(root: root, key: key)
        let row = SettledChanges.DeletedRow(entity: entity, object: object, tombstone: tombstone)
        if settled.deletedRows[root, default: [:]].addFirst(row, key) {
            waveOfRows[entity, default: []].append(key)
        }
    }

    private mutating func drop(_ object: ManagedObject) {
        guard settled.dropped.insert(ObjectIdentifier(object)).inserted else { return }
        waveOfNew.append(object)
    }

    private mutating func remove(_ object: ManagedObject) {
        if object._flags.contains(.inserted) { drop(object) } else { mark(object.layout.index, object.key) }
    }

    // MARK: Stored rows

    private mutating func follow(_ layout: EntityLayout, _ keys: [Int64]) throws {
        for slot in layout.relationshipSlots where goesOn() {
            try follow(layout.relationship(slot), layout, keys)
        }
        for reference in context.store.layouts.oneWayReferences(to: layout) where goesOn() {
            let rows = counted(
                try referring.rows(
                    reference.columns, in: context.layouts[reference.entity], of: keys, forDeletion: false))
            for row in rows where !isElsewhere(row, reference.slot) {
                settled.nullifications[.init(entity: row.entity, slot: reference.slot), default: []].append(
                    row.key)
            }
        }
    }

    private mutating func follow(
        _ relationship: RelationshipLayout, _ layout: EntityLayout, _ keys: [Int64]
    ) throws {
        let rule = relationship.deleteRule
        switch relationship.followed {
        case .inverse(let columns):
            if rule == .noAction { return }
            if rule == .cascade, leavesToDatabase(relationship) {
                return try apply(relationship, layout, [], referrers(relationship, of: keys, layout))
            }
            let rows = counted(
                try referring.rows(
                    columns, in: context.layouts[relationship.destination], of: keys,
                    forDeletion: rule == .cascade))
            let remaining = rows.filter { row in relationship.inverse.map { !isElsewhere(row, $0) } ?? true }
            if rule == .nullify, let inverse = relationship.inverse {
                for row in remaining {
                    settled.nullifications[.init(entity: row.entity, slot: inverse), default: []].append(
                        row.key)
                }
            } else {
                try apply(relationship, layout, remaining, referrers(relationship, of: keys, layout))
            }
        case .foreignKey:
            guard rule == .cascade || rule == .deny else { return }
            // A loaded object may lead elsewhere now than its row does.
            let moved = keys.compactMap { context.registry.find(root: layout.root, key: $0) }
                .filter { $0.isWritten(relationship.slot) }
            let movedKeys = Set(moved.map(\.key))
            let rows = counted(try referring.destinations(relationship, of: keys, layout))
                .filter { !movedKeys.contains($0.owner) }
            let ends = moved.compactMap { owner in
                destination(owner, relationship).map { DeleteDenial.End(owner: owner.key, object: $0) }
            }
            try apply(relationship, layout, rows, ends)
        case .join(let columns):
            guard rule == .cascade || rule == .deny || isPreview else { return }
            let rows = counted(try referring.destinations(relationship, of: keys, layout))
                .filter { !removedLinks.contains(Link(table: columns.table, one: $0.owner, other: $0.key)) }
            let members = pending.partners(
                relationship, in: columns.table, of: keys, root: layout.root)
            if isPreview {
                linked[.init(entity: layout.index, slot: relationship.slot), default: []] += rows.map(\.key)
            }
            try apply(relationship, layout, rows, members)
        case .memory:
            for object in keys.compactMap({ context.registry.find(root: layout.root, key: $0) }) {
                try apply(relationship, layout, [], ends(present(relationship, of: object), of: object))
            }
        }
    }

    // MARK: New objects

    private mutating func follow(_ object: ManagedObject) throws {
        for slot in object.layout.relationshipSlots {
            let relationship = object.layout.relationship(slot)
            guard relationship.deleteRule == .cascade || relationship.deleteRule == .deny else { continue }
            let reached: [DeleteDenial.End]
            switch relationship.storage {
            case .inverse:
                reached = referrers(relationship, of: [object.key], object.layout)
            case .foreignKey:
                reached = ends(destination(object, relationship).map { [$0] } ?? [], of: object)
            case .join(let columns):
                reached = pending.partners(
                    relationship, in: columns.table, of: [object.key], root: object.layout.root)
            case .memory: reached = ends(present(relationship, of: object), of: object)
            }
            try apply(relationship, object.layout, [], reached)
        }
    }

    // MARK: Cascade and deny

    private mutating func apply(
        _ relationship: RelationshipLayout, _ layout: EntityLayout, _ rows: [ReferringRows.Row],
        _ ends: [DeleteDenial.End]
    ) throws {
        if relationship.deleteRule == .cascade {
            for row in rows { mark(row.entity, row.key, row.tombstone) }
            let objects = ends.map(\.object)
            try lock(objects)
            for object in objects { remove(object) }
        } else if relationship.deleteRule == .deny, !rows.isEmpty || !ends.isEmpty {
            denials.append(
                DeleteDenial(entity: layout, relationship: relationship, rows: rows, pending: ends))
        }
    }

    /// Locks objects that are deleted because of an unsaved reference or link.
    ///
    /// At most they were locked as rows that stay. Their own children are searched now.
    private func lock(_ objects: [ManagedObject]) throws {
        let stored = objects.filter {
            !$0._flags.contains(.inserted) && settled.deletedRows[$0.layout.root]?[$0.key] == nil
        }
        let byTable = Dictionary(grouping: stored) { $0.layout.root }
        for (root, objects) in byTable.sorted(by: { $0.key < $1.key }) {
            try referring.lock(objects.map(\.key).sorted(), of: context.layouts[root])
        }
    }

    /// Returns the rules that forbid the deletion, by object and relationship.
    func broken() -> [ValidationIssue] { denials.flatMap { $0.issues(settled, context) } }

    // MARK: Where things lead

    /// Returns true if an unsaved change gives a stored row another destination, so that the deletion does
    /// not reach it.
    private func isElsewhere(_ row: ReferringRows.Row, _ slot: Int) -> Bool {
        let layout = context.layouts[row.entity]
        guard let object = context.registry.find(root: layout.root, key: row.key), object.isWritten(slot)
        else { return false }
        return !settled.destination(of: object, slot: slot, layouts: context.layouts).isNone
            || object._toOneField(at: slot).isNone
    }

    /// Returns true if rows of a cascade need not be known here.
    ///
    /// A foreign key then deletes them, no object of them is registered, and neither listeners nor the history need
    /// them.
    private func leavesToDatabase(_ relationship: RelationshipLayout) -> Bool {
        guard !isPreview, !context.isHeard, context.store.history == nil, context.children.isEmpty,
            let roots = context.store.layouts.rootsCarriedByForeignKeys(relationship)
        else { return false }
        return roots.allSatisfy { root in
            context.registry.objects(root: root).allSatisfy { $0._flags.contains(.inserted) }
        }
    }

    /// Adds objects with an unsaved reference to a deleted one.
    private mutating func referrers(
        _ relationship: RelationshipLayout, of keys: [Int64], _ layout: EntityLayout
    ) -> [DeleteDenial.End] {
        pending.referrers(
            relationship, of: keys, root: layout.root,
            family: context.layouts[relationship.destination].family)
    }

    private func ends(_ objects: [ManagedObject], of owner: ManagedObject) -> [DeleteDenial.End] {
        objects.map { .init(owner: owner.key, object: $0) }
    }

    /// Returns the objects of a transient relationship, if its rule needs them.
    private func present(_ relationship: RelationshipLayout, of object: ManagedObject) -> [ManagedObject] {
        guard relationship.deleteRule == .cascade || relationship.deleteRule == .deny else { return [] }
        if !relationship.isToMany { return destination(object, relationship).map { [$0] } ?? [] }
        return object._toManyState(at: relationship.slot)?.members ?? []
    }

    /// Returns the destination that an object has in memory.
    private func destination(_ object: ManagedObject, _ relationship: RelationshipLayout) -> ManagedObject? {
        let field = object._toOneField(at: relationship.slot)
        guard field.entity >= 0 else { return nil }
        return field.object ?? context.object(entity: Int(field.entity), key: field.key)
    }
}

extension [Int64: SettledChanges.DeletedRow] {
    /// Adds a row; false if there is one of the key, which stays.
    fileprivate mutating func addFirst(_ row: SettledChanges.DeletedRow, _ key: Int64) -> Bool {
        guard let earlier = updateValue(row, forKey: key) else { return true }
        self[key] = earlier
        return false
    }
}

extension RelationshipLayout {
    /// The storage in which to search the objects that a deletion reaches.
    ///
    /// A to-one that is its own inverse is also the foreign key of the other side.
    fileprivate var followed: Storage {
        if isSelfInverse, case .foreignKey(let columns) = storage { .inverse(columns) } else { storage }
    }
}
