import HowdahModel
import PQClient

/// Turns result rows into the context's objects: a known object stays as it is, a fault is filled, an unknown
/// row becomes a new object.
struct Registration {
    private let context: ManagedObjectContext
    private let selection: SelectList
    private let layout: EntityLayout
    /// Whether rows hold values; otherwise they hold only ids, and objects come as faults.
    var fills = true
    /// The first column of the entity's select list.
    var firstColumn = 0

    init(_ context: ManagedObjectContext, _ selection: SelectList, of layout: EntityLayout) {
        self.context = context
        self.selection = selection
        self.layout = layout
    }

    /// The objects of all rows, in order; with `asCohort` they load what they need together.
    func register(_ result: QueryResult, asCohort: Bool = true) throws -> [ManagedObject] {
        try selection.check(result, first: firstColumn)
        let count = result.rowCount
        var objects: [ManagedObject] = []
        objects.reserveCapacity(count)
        context.identityMaps.reserve(root: layout.root, count)
        var keys: [Int64] = []
        keys.reserveCapacity(asCohort ? count : 0)
        var entity = EntityCursor(layout, context.layouts, selection, firstColumn)
        try result.forEachRow { row in
            let key = row[firstColumn].int64
            let concrete = try entity.entity(of: row)
            let object = try register(row, key, concrete, entity.positions)
            if asCohort { keys.append(key) }
            objects.append(object)
        }
        if asCohort, count > 1 {
            let cohort = Cohort(root: layout.root, keys: keys)
            for object in objects { object.cohort = cohort }
        }
        return objects
    }

    private func register(
        _ row: Row, _ key: Int64, _ layout: EntityLayout, _ positions: [Int32]
    ) throws -> ManagedObject {
        let object: ManagedObject
        let found = context.identityMaps.find(root: layout.root, key: key)
        if let found, found.layout !== layout, found._flags.contains(.fault) {
            // An id that names another entity than the row has; its fault can never be filled.
            context.identityMaps.remove(found)
            found.detach()
            found._flags.insert(.vanished)
        }
        if let known = found, known._flags.contains(.registered) {
            object = known
            guard fills, known._flags.contains(.fault) else { return known }
        } else {
            object = context.store.classes[layout].init(
                ObjectSeed(layout: layout, owner: context, key: key, flags: [.fault, .registered]))
            context.identityMaps.insert(object)
            guard fills else { return object }
        }
        object.version = row[firstColumn + 1].int64
        try positions.withUnsafeBufferPointer { positions in
            guard let base = positions.baseAddress else { return }
            var reader = RowReader(row: row, positions: base, layout: layout)
            object._decode(&reader)
            if let failure = reader.failure { throw failure }
        }
        object._flags.subtract([.fault, .vanished])
        return object
    }
}

/// Tells the concrete entity of each row; most results have one, and then it is settled once.
private struct EntityCursor {
    private let layouts: [EntityLayout]
    private let selection: SelectList
    private let discriminator: Int?
    private let firstColumn: Int
    private var current: EntityLayout
    private(set) var positions: [Int32]
    private var currentName: String?

    init(_ layout: EntityLayout, _ layouts: [EntityLayout], _ selection: SelectList, _ firstColumn: Int) {
        self.layouts = layouts
        self.selection = selection
        self.firstColumn = firstColumn
        discriminator = selection.discriminatorPosition
        current = layout
        positions = EntityCursor.shifted(selection.positions(of: layout.index), firstColumn)
    }

    mutating func entity(of row: Row) throws -> EntityLayout {
        guard let discriminator else { return current }
        let name = row[firstColumn + discriminator].string()
        if name == currentName { return current }
        guard let index = current.directory.index(ofStoredName: name) else {
            throw FetchError.unknownStoredEntity(name, in: current.name)
        }
        currentName = name
        current = layouts[index]
        positions = EntityCursor.shifted(selection.positions(of: index), firstColumn)
        return current
    }

    private static func shifted(_ positions: [Int32], _ by: Int) -> [Int32] {
        // An entity without columns still needs a place for the reader to point at.
        positions.isEmpty ? [0] : by == 0 ? positions : positions.map { $0 + Int32(by) }
    }
}
