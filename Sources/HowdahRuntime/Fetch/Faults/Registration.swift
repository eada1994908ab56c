import HowdahModel
package import PQClient

/// Converts rows to the context's objects as they arrive.
///
/// A known object stays unchanged, a fault is filled, and an unknown row becomes a new object.
package struct Registration {
    private let context: ManagedObjectContext
    private let selection: SelectList
    private let layout: EntityLayout
    private let map: Registry.Hierarchy
    /// A Boolean value that indicates whether rows have values; if not, they have only ids, and objects are
    /// faults.
    private let fills: Bool
    /// A Boolean value that indicates whether known objects without changes get the values of a newer row.
    private let refills: Bool
    /// The first column of the entity's select list.
    private let firstColumn: Int
    private var entity: EntityCursor
    private var seed: _ObjectSeed
    private var type: ManagedObject.Type
    /// The objects of all rows so far, in order.
    package private(set) var objects: [ManagedObject] = []
    /// The positions in `objects` of those that had their values already.
    private var settled: [Int] = []
    /// The known objects that got the values of a newer row.
    private var refilled: [ManagedObject] = []
    /// The destinations in each row, and the relationships that refer to them.
    private var joined: [(slot: Int, registration: Registration)] = []

    /// - Parameter count: The number of rows, if it is known.
    package init(
        _ context: ManagedObjectContext, _ selection: SelectList, of layout: EntityLayout, fills: Bool = true,
        refills: Bool = false, firstColumn: Int = 0, expecting count: Int = 0
    ) {
        self.init(
            context, selection, of: layout, fills: fills, refills: refills, firstColumn: firstColumn,
            joined: [],
            expecting: count)
    }

    /// - Parameters:
    ///   - joined: The destinations in each row.
    ///   - count: The number of rows, if it is known.
    init(
        _ context: ManagedObjectContext, _ selection: SelectList, of layout: EntityLayout, fills: Bool = true,
        refills: Bool = false, firstColumn: Int = 0, joined: [JoinedDestination], expecting count: Int = 0
    ) {
        self.context = context
        self.selection = selection
        self.layout = layout
        self.fills = fills
        self.refills = refills && fills
        self.firstColumn = firstColumn
        map = context.registry.hierarchy(layout.root)
        map.reserve(count)
        objects.reserveCapacity(count)
        entity = EntityCursor(layout, context.layouts, selection, firstColumn)
        seed = _ObjectSeed(layout: layout, owner: context, key: 0, flags: context.flags(.fault))
        type = context.store.classes[layout]
        self.joined = joined.map {
            let destinations = Registration(context, $0.selection, of: $0.layout, firstColumn: $0.firstColumn)
            return ($0.slot, destinations)
        }
    }

    /// Returns the objects of a whole result, in order.
    package mutating func register(_ result: QueryResult) throws -> [ManagedObject] {
        try selection.check(result, first: firstColumn)
        guard !joined.isEmpty else {
            try context.registry.decoding { try result.forEachRow { _ = try add($0) } }
            return objects
        }
        // A destination that cannot be read is loaded after the hooks of its owner, which throws the error.
        joined.removeAll {
            (try? $0.registration.selection.check(result, first: $0.registration.firstColumn)) == nil
        }
        try context.registry.decoding {
            try result.forEachRow { row in
                let object = try add(row)
                for place in joined.indices {
                    let slot = joined[place].slot
                    joined[place].registration.add(row, to: object, slot)
                }
            }
        }
        return objects
    }

    /// Adds a row of a destination, if there is one.
    private mutating func add(_ row: Row, to owner: ManagedObject, _ slot: Int) {
        guard !row[firstColumn].isNull else { return }
        let count = objects.count
        guard (try? add(row)) != nil else { return objects.removeLast(objects.count - count) }
        // The owner keeps what it refers to, which nothing else may keep.
        if !owner._flags.contains(.fault) { _ = owner.destination(slot) }
    }

    /// Registers the objects of a query without parameters that returns many rows, decoded while the server
    /// sends them.
    package mutating func register(copying sql: String, on connection: Connection) throws {
        let (selection, firstColumn) = (selection, firstColumn)
        _ = try context.registry.decoding {
            try connection.copyOut(
                sql, begin: { try selection.check($0, first: firstColumn) }, row: { try add($0) })
        }
    }

    /// Makes the objects a cohort: if one of them loads, all do, at most `limit` at a time.
    ///
    /// - Parameters:
    ///   - comment: The comment of the statements that load them.
    ///   - site: The comment of the request that led to them, for observers.
    package func makeCohort(
        stepping limit: Int = Cohort.stepLimit, comment: String = "", site: String = ""
    ) {
        guard objects.count > 1 || selection.part != nil else { return }
        let cohort = Cohort(
            root: layout.root, keys: objects.map(\.key), stepping: limit, part: selection.part,
            comment: comment, site: site)
        guard selection.part != nil else {
            // A partial object's cohort says what it holds.
            for object in objects where !object.isPartial { object.cohort = cohort }
            return
        }
        context.registry.noteParts()
        let known = Set(settled)
        for (place, object) in objects.enumerated() where !object.isPartial || !known.contains(place) {
            object.cohort = cohort
        }
    }

    /// Makes a cohort if the request has one. Partial objects always have one, which records their loaded
    /// part.
    func makeCohort<Object>(for request: FetchRequest<Object>) {
        if request.loadsCohorts {
            makeCohort(comment: request.comment)
        } else if selection.part != nil {
            makeCohort(stepping: 1, comment: request.comment)
        }
    }

    /// Calls the hooks of filled objects.
    ///
    /// Call it after the result was read completely, because hooks may send statements.
    package func awaken() {
        awakenOwn()
        for (_, destinations) in joined { destinations.awakenOwn() }
    }

    private func awakenOwn() {
        if !refilled.isEmpty { context.releaseMembers(of: refilled) }
        guard fills, selection.part == nil, settled.count < objects.count else { return }
        if settled.isEmpty { return context.awaken(objects) }
        let known = Set(settled)
        context.awaken(objects.indices.lazy.filter { !known.contains($0) }.map { objects[$0] })
    }

    /// Returns the object of one row.
    @discardableResult
    mutating func add(_ row: Row) throws -> ManagedObject {
        if try entity.advance(to: row) {
            seed = _ObjectSeed(
                layout: entity.current, owner: context, key: 0, flags: context.flags(.fault))
            type = context.store.classes[entity.current]
        }
        seed.key = try row.integer(firstColumn, "_id", of: layout)
        if seed.key < 0 { throw FetchError.negativeKey(in: layout.name) }
        var (object, isToFill) = known(seed.key) ?? (new(), fills)
        if refills, !isToFill, !object.hasChanges,
            object.version != (try row.integer(firstColumn + 1, "_version", of: layout))
        {
            refilled.append(object)
            context.recorder.noteRefresh(of: object)
            isToFill = true
        }
        if !isToFill { settled.append(objects.count) }
        objects.append(object)
        guard isToFill else { return object }
        let version = try row.integer(firstColumn + 1, "_version", of: layout)
        // What was read of a partial object stays, with its version: a save tells that the row has changed since.
        let isHeld = object._flags.contains(.partial) && object.isPartial && !refills
        let held = isHeld && selection.part == nil && object.version != version ? object.partialValues : []
        if !isHeld { object.version = version }
        try entity.positions.withUnsafeBufferPointer { positions in
            guard let base = positions.baseAddress else { return }
            var reader = _RowReader(row: row, positions: base, layout: seed.layout)
            object._decode(&reader)
            if !seed.layout.looseComposites.isEmpty { reader.checkComposites() }
            if selection.part == nil { reader.checkRequired() }
            if let failure = reader.failure {
                object.generic?.forgetValues()
                throw FetchError.located(failure, at: object)
            }
        }
        if selection.part != nil {
            object._flags.remove(.vanished)
            object._flags.insert([.fault, .partial])
            return object
        }
        for (slot, value) in held { object.put(value, at: slot) }
        object._flags.subtract([.fault, .vanished, .partial])
        object._flags.insert(.filled)
        return object
    }

    private func known(_ key: Int64) -> (ManagedObject, isToFill: Bool)? {
        guard let found = map.find(key) ?? context.registry.arriving(root: layout.root, key: key) else {
            return nil
        }
        if found.layout !== seed.layout, found._flags.contains(.fault) {
            // An id that names another entity than the row has; its fault can never be filled.
            map.remove(found, key)
            found.detach(from: context)
            found._flags.insert(.vanished)
            return nil
        }
        return (found, fills && found._flags.contains(.fault) && !(covers(found) && !refills))
    }

    /// Returns a Boolean value that indicates whether a partial object has the row's values already.
    private func covers(_ object: ManagedObject) -> Bool {
        guard let wanted = selection.part, let part = object.part else { return false }
        return part.covers(wanted, of: object.layout.index)
    }

    private func new() -> ManagedObject {
        let object = type.init(seed)
        map.insert(object, seed.key)
        return object
    }
}

/// Determines the concrete entity of each row. Most results have one, and then it is determined once.
private struct EntityCursor {
    private let layouts: [EntityLayout]
    private let selection: SelectList
    private let discriminator: Int?
    private let firstColumn: Int
    private let layout: EntityLayout
    private(set) var current: EntityLayout
    private(set) var positions: [Int32]
    private var currentName: String?

    init(_ layout: EntityLayout, _ layouts: [EntityLayout], _ selection: SelectList, _ firstColumn: Int) {
        self.layouts = layouts
        self.selection = selection
        self.firstColumn = firstColumn
        discriminator = selection.discriminatorPosition
        self.layout = layout
        current = layout
        positions = EntityCursor.shifted(selection.positions(of: layout.index), firstColumn)
    }

    /// Returns a Boolean value that indicates whether the row is of another entity than the one before.
    mutating func advance(to row: Row) throws -> Bool {
        guard let discriminator else { return false }
        let name = row[firstColumn + discriminator].string()
        if name == currentName { return false }
        guard let index = current.directory.index(ofStoredName: name) else {
            throw FetchError.unknownStoredEntity(name, in: current.name)
        }
        guard layout.family.contains(index) else {
            throw FetchError(
                .schemaMismatch,
                "A relationship to \(layout.name) refers to a row of the entity '\(name)', which is not "
                    + "\(layout.name) or a sub-entity of it. Set the relationship's column to the key of "
                    + "\(layout.name.article) \(layout.name) in SQL.")
        }
        currentName = name
        current = layouts[index]
        positions = EntityCursor.shifted(selection.positions(of: index), firstColumn)
        return true
    }

    private static func shifted(_ positions: [Int32], _ by: Int) -> [Int32] {
        // An entity without columns still needs a place for the reader to point at.
        positions.isEmpty ? [0] : by == 0 ? positions : positions.map { $0 + Int32(by) }
    }
}
