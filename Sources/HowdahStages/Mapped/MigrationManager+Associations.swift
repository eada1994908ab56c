import HowdahMigration
public import HowdahModel
public import HowdahRuntime
import PQClient

extension MigrationManager {
    /// Records that an object of the new store was created from one of the old store, or stands for it.
    ///
    /// The first one in the entity that continues the source's gets its id, if it is not saved yet.
    ///
    /// - Throws: `MigrationError.mappingFailed` for an entity mapping that is not in the mapping model, or
    ///   has another destination.
    public func associate(
        sourceInstance source: ManagedObject, withDestinationInstance destination: ManagedObject,
        for mapping: EntityMapping
    ) throws {
        let entry = try self.entry(mapping.name)
        guard let layout = entry.destination, layout.root == destination.layout.root else {
            throw MigrationError(
                .mappingFailed,
                "The entity mapping \(mapping.name) cannot associate an object of \(destination.entityName), because the destination of the mapping is "
                    + "\(mapping.destinationEntityName ?? "no entity"). Use a mapping with the destination "
                    + "\(destination.entityName).")
        }
        if destination.isDisjointFromStore, destination.key < 0,
            layouts.continuing[source.entityName] == destination.entityName, try !isTaken(source.key)
        {
            destinationContext.registry.rename(destination, to: source.key)
            taken.insert(source.key)
        }
        pending.append((entry.index, source.key, destination))
    }

    /// Returns the objects of the new store that an entity mapping created from objects of the old one.
    ///
    /// They are in the order of these objects. If you pass none, the result has all.
    ///
    /// - Throws: `MigrationError.mappingFailed` for a name that is not in the mapping model.
    public func destinationInstances(
        forEntityMappingName name: String, sourceInstances: [ManagedObject]? = nil
    ) throws -> [ManagedObject] {
        let entry = try entry(name)
        return try destinations(of: sourceInstances?.map(\.key), [entry])
    }

    /// Returns the objects of the old store from which an entity mapping created objects of the new one.
    ///
    /// - Throws: `MigrationError.mappingFailed` for a name that is not in the mapping model.
    public func sourceInstances(
        forEntityMappingName name: String, destinationInstances: [ManagedObject]
    ) throws -> [ManagedObject] {
        let entry = try entry(name)
        if entry.index == self.entry?.index {
            let known = destinationInstances.compactMap { sourcesOfBatch[$0.key] }
            if known.count == destinationInstances.count {
                var seen: Set<Int64> = []
                return known.flatMap(\.self).filter { seen.insert($0.key).inserted }
            }
        }
        guard let layout = entry.source else { return [] }
        let keys = try layouts.pairs.all(
            of: entry, destinations: destinationInstances.map(\.key), on: connection
        ).map(\.source)
        // Saving these now would give an object that is being made a key of its own, before it is associated.
        let asked = Set(destinationInstances.map(ObjectIdentifier.init))
        let unsaved = pending.filter {
            $0.mapping == entry.index && asked.contains(ObjectIdentifier($0.destination))
        }.map(\.source)
        return try objects(layout, Set(keys + unsaved).sorted(), in: sourceContext)
    }

    /// Returns the destination objects of source objects by any of some mappings, in the order of the
    /// sources.
    func destinations(
        of keys: [Int64]?, _ entries: [MappingLayouts.Entry]
    ) throws -> [ManagedObject] {
        var made: [(source: Int64, object: ManagedObject)] = []
        for entry in entries {
            guard let layout = entry.destination else { continue }
            let rows = try layouts.pairs.all(of: entry, sources: keys, on: connection)
            var seen: Set<Int64> = []
            let stored = Dictionary(
                try objects(
                    layout, rows.map(\.destination).filter { seen.insert($0).inserted },
                    in: destinationContext
                ).map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
            made += rows.compactMap { row in
                stored[row.destination].map { (source: row.source, object: $0) }
            }
            // Saving these now would give an object that is being made a key of its own, before it is associated.
            made += pending.filter {
                $0.mapping == entry.index && $0.destination.managedObjectContext === destinationContext
            }.map { (source: $0.source, object: $0.destination) }
        }
        if let keys {
            // In the order of the sources, whichever of the mappings took them.
            let bySource = Dictionary(grouping: made, by: \.source)
            made = keys.flatMap { bySource[$0] ?? [] }
        }
        var known: Set<ObjectIdentifier> = []
        return made.map(\.object).filter { known.insert(ObjectIdentifier($0)).inserted }
    }

    /// Runs `body` with the destination objects of the present mapping, by their keys.
    func forEachBatchOfDestinations(_ body: ([ManagedObject]) throws -> Void) throws {
        guard let entry, let layout = entry.destination else { return }
        var last = Int64.min
        while true {
            let keys = try layouts.pairs.destinations(
                of: entry, after: last, limit: MappingRun.batchSize, on: connection)
            guard let end = keys.last else { return }
            last = end
            let objects = try objects(layout, keys, in: destinationContext)
            sourcesOfBatch = try sources(of: keys, entry)
            defer { sourcesOfBatch = [:] }
            try body(objects)
            try store()
            for object in objects { destinationContext.refresh(object) }
            for object in sourcesOfBatch.values.joined() { sourceContext.refresh(object) }
        }
    }

    /// Returns the source objects of destination objects, by their keys, with two statements.
    private func sources(
        of keys: [Int64], _ entry: MappingLayouts.Entry
    ) throws -> [Int64: [ManagedObject]] {
        guard let layout = entry.source else { return [:] }
        let pairs = try layouts.pairs.all(of: entry, destinations: keys, on: connection)
        let objects = try objects(layout, Array(Set(pairs.map(\.source))), in: sourceContext)
        let byKey = Dictionary(objects.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        return pairs.reduce(into: [:]) { result, pair in
            if let object = byKey[pair.source] { result[pair.destination, default: []].append(object) }
        }
    }

    /// Saves the new store, and stores the associations.
    func store() throws {
        try destinationContext.throwFailure()
        try sourceContext.throwFailure()
        if destinationContext.hasChanges { try destinationContext.save() }
        guard !pending.isEmpty else { return }
        let rows = pending.filter { $0.destination.managedObjectContext === destinationContext }
        pending = []
        try layouts.pairs.add(
            rows.map { ($0.mapping, $0.source, $0.destination.key) }, on: connection)
        for row in rows where !row.destination.hasChanges { destinationContext.refresh(row.destination) }
    }

    /// Looks up for a batch of source objects at once if they have destinations already.
    func expect(_ keys: [Int64]) throws {
        asked = Set(keys)
        taken = try layouts.pairs.taken(keys, on: connection)
    }

    private func isTaken(_ key: Int64) throws -> Bool {
        if taken.contains(key) { return true }
        if !asked.contains(key) {
            let before = (asked, taken)
            try expect([key])
            asked.formUnion(before.0)
            taken.formUnion(before.1)
        }
        return taken.contains(key)
    }

    private func entry(_ name: String) throws -> MappingLayouts.Entry {
        if let entry = layouts.entry(named: name) { return entry }
        let names = layouts.entries.map(\.mapping.name)
        let hint =
            NearestName.of(name, among: names).map { "Did you mean \($0)?" }
            ?? "Use one of its names: \(names.prefix(10).joined(separator: ", "))."
        throw MigrationError(.mappingFailed, "The mapping model has no entity mapping \(name). \(hint)")
    }

    /// Returns the objects of keys, in their order, with one statement.
    private func objects(
        _ layout: EntityLayout, _ keys: [Int64], in context: ManagedObjectContext
    ) throws -> [ManagedObject] {
        if keys.isEmpty { return [] }
        var request = FetchRequest<ManagedObject>(entityName: layout.name)
        request.predicate = PredicateTree(
            .comparison(
                lhs: .evaluatedObject, op: .in,
                rhs: .collection(
                    keys.map { .reference(ObjectReference(key: $0, entity: layout.storedName)) })))
        request.returnsObjectsAsFaults = false
        let found = Dictionary(
            try context.fetch(request).map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        return keys.compactMap { found[$0] }
    }
}
