import HowdahModel
import PQClient

/// The rows whose derived attributes a save changes, found by the changes that it writes.
///
/// Each group has, for each step of its path, the keys of rows there whose values change later on the path.
/// Step 0 has the rows with the derived attributes themselves, the last step the rows that values come from.
struct DerivedChanges {
    let group: DerivedGroup
    private(set) var keys: [Set<Int64>]

    var isEmpty: Bool { keys.allSatisfy(\.isEmpty) }

    private let settled: SettledChanges
    private let newKeys: NewKeys
    private let layouts: [EntityLayout]
    /// The queries for the owners of deleted rows, and the step of their keys.
    private(set) var questions: [(step: Int, statement: SaveStatement)] = []

    /// - Parameter changes: The requested changes. The versions of these objects are compared, so they are as
    ///   read.
    init(
        _ group: DerivedGroup, _ settled: SettledChanges, _ changes: ChangeSet, _ newKeys: NewKeys,
        _ layouts: [EntityLayout]
    ) {
        self.group = group
        self.settled = settled
        self.newKeys = newKeys
        self.layouts = layouts
        keys = Array(repeating: [], count: group.hops.count + 1)
        let deleted = Set(changes.deleted.filter { !$0.isFault }.map(ObjectIdentifier.init))
        for (step, hop) in group.hops.enumerated() {
            switch hop.storage {
            case .foreignKey: noteSteps(hop, from: group.places[step], step)
            case .inverse(let columns): noteMembers(hop, columns, step, asRead: deleted)
            case .join(let columns): noteLinks(hop, columns, step)
            case .memory: break
            }
        }
        noteValues(in: group.places[group.hops.count])
    }

    /// Adds the answer to a question.
    mutating func answer(_ step: Int, _ result: QueryResult) {
        result.forEachRow { keys[step].insert($0[0].int64) }
    }

    /// Adds rows with a changing foreign key.
    private mutating func noteSteps(_ hop: RelationshipLayout, from place: EntityLayout, _ step: Int) {
        let family = Set(place.family)
        if step == 0 {
            for object in settled.inserted where family.contains(object.layout.index) {
                if object._toOneField(at: hop.slot).entity >= 0 { keys[step].insert(newKeys[object]) }
            }
        }
        for update in settled.updated
        where family.contains(update.object.layout.index) && update.slots.contains(hop.slot) {
            keys[step].insert(update.object.key)
        }
        for (nullification, rows) in settled.nullifications
        where nullification.slot == hop.slot && family.contains(nullification.entity) {
            keys[step].formUnion(rows)
        }
    }

    /// Adds rows that gain or lose a member.
    private mutating func noteMembers(
        _ hop: RelationshipLayout, _ columns: ForeignKeyColumns, _ step: Int, asRead: Set<ObjectIdentifier>
    ) {
        guard let slot = hop.inverse else { return }
        let destination = layouts[hop.destination]
        let family = Set(destination.family)
        for object in settled.inserted where family.contains(object.layout.index) {
            note(object._toOneField(at: slot), step)
        }
        for update in settled.updated
        where family.contains(update.object.layout.index) && update.slots.contains(slot) {
            note(update.object._toOneField(at: slot), step)
            note(update.object.storedField(slot), step)
        }
        var unknown: [Int64] = []
        for (key, row) in settled.deletedRows[destination.root] ?? [:] where family.contains(row.entity) {
            if let object = row.object, asRead.contains(ObjectIdentifier(object)) {
                note(object.storedField(slot), step)
            } else {
                unknown.append(key)
            }
        }
        let key = columns.table.key.name
        ask(
            "SELECT \(columns.column) FROM \(columns.table) WHERE \(key) = ANY($1) AND \(columns.column) IS NOT NULL "
                + "ORDER BY \(key) FOR UPDATE", unknown, step)
    }

    private mutating func note(_ field: _ToOneField, _ step: Int) {
        if field.entity >= 0 { keys[step].insert(field.object.map { newKeys[$0] } ?? field.key) }
    }

    /// Adds rows that gain or lose a link.
    private mutating func noteLinks(_ hop: RelationshipLayout, _ columns: JoinColumns, _ step: Int) {
        for link in settled.links where link.columns.table == columns.table {
            let isOwn = link.columns.ownColumn == columns.ownColumn
            keys[step].insert(newKeys[isOwn ? link.owner : link.member])
        }
        let destination = layouts[hop.destination]
        let family = Set(destination.family)
        let gone = (settled.deletedRows[destination.root] ?? [:]).filter { family.contains($0.value.entity) }
        ask(
            "SELECT \(columns.ownColumn) FROM \(columns.table) WHERE \(columns.otherColumn) = ANY($1)",
            Array(gone.keys), step)
    }

    /// Adds rows at the end of the path with another value.
    private mutating func noteValues(in place: EntityLayout) {
        let sources = Set(group.members.compactMap(\.source))
        let family = Set(place.family)
        if sources.isEmpty { return }
        for update in settled.updated
        where family.contains(update.object.layout.index) && !sources.isDisjoint(with: update.slots) {
            keys[group.hops.count].insert(update.object.key)
        }
    }

    private mutating func ask(_ sql: String, _ rows: [Int64], _ step: Int) {
        if rows.isEmpty { return }
        var parameters = Parameters()
        parameters.append(rows.sorted())
        questions.append((step, SaveStatement(sql, parameters, about: StatementSubject(.select))))
    }
}

extension ManagedObject {
    /// Returns the destination of the stored row.
    final func storedField(_ slot: Int) -> _ToOneField {
        for entry in changes?.originals ?? [] where entry.slot == slot {
            if case .toOne(let field) = entry.original { return field }
        }
        return _toOneField(at: slot)
    }
}
