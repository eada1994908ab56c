import HowdahModel

extension DeletePreview {
    init(_ rules: DeleteRules, _ changes: ChangeSet, _ context: ManagedObjectContext) {
        let (settled, layouts) = (rules.settled, context.layouts)
        let id = { (entity: Int, key: Int64) in
            ObjectID<ManagedObject>(
                storeIdentifier: context.store.identifier, entityName: layouts[entity].storedName, key: key)
        }
        var gone: [Int: [Int64]] = [:]
        for rows in settled.deletedRows.values {
            for (key, row) in rows { gone[row.entity, default: []].append(key) }
        }
        let new =
            changes.discarded + changes.inserted.filter { settled.dropped.contains(ObjectIdentifier($0)) }
        for object in new { gone[object.layout.index, default: []].append(object.key) }
        deleted = Dictionary(
            gone.map { entity, keys in (layouts[entity].name, keys.sorted().map { id(entity, $0) }) },
            uniquingKeysWith: +)

        var lost = settled.nullifications
        for object in changes.inserted + changes.updated.map(\.object) where !settled.isDeleted(object) {
            for slot in settled.lostDestinations(of: object, layouts: layouts) {
                lost[.init(entity: object.layout.index, slot: slot), default: []].append(object.key)
            }
        }
        nullified = Self.losses(lost, of: \.entity, settled, layouts, id)
        unlinked = Self.losses(
            rules.linked, of: { layouts[$0.entity].relationship($0.slot).destination }, settled, layouts, id)
        let required = nullified.compactMap { loss -> ValidationIssue? in
            guard let layout = layouts.first(where: { $0.name == loss.entityName }),
                let slot = layout.slotsByName[loss.relationship], !layout.relationship(slot).isOptional
            else { return nil }
            return ValidationIssue(nullifying: loss.objectIDs.count, layout.relationship(slot), of: layout)
        }
        issues = rules.broken() + required
        isCut = rules.isCut
    }

    private static func losses(
        _ found: [SettledChanges.Nullification: [Int64]],
        of member: (SettledChanges.Nullification) -> Int, _ settled: SettledChanges,
        _ layouts: [EntityLayout], _ id: (Int, Int64) -> ObjectID<ManagedObject>
    ) -> [Loss] {
        found.compactMap { place, keys in
            let entity = member(place)
            let gone = settled.deletedRows[layouts[entity].root] ?? [:]
            let staying = Set(keys.filter { gone[$0] == nil }).sorted()
            if staying.isEmpty { return nil }
            return Loss(
                entityName: layouts[place.entity].name,
                relationship: layouts[place.entity].relationship(place.slot).name,
                objectIDs: staying.map { id(entity, $0) })
        }
        .sorted { ($0.entityName, $0.relationship) < ($1.entityName, $1.relationship) }
    }
}

extension ValidationIssue {
    /// Creates the preview for a required to-one that unloaded objects would lose.
    init(nullifying count: Int, _ relationship: RelationshipLayout, of layout: EntityLayout) {
        self.init(
            nil, layout.name, relationship.name, Self.missingMandatory,
            "\(count) object\(count == 1 ? " would lose its" : "s would lose their") required \(relationship.name) "
                + "with the deletion. Set another \(relationship.name) in "
                + "\(count == 1 ? "that object, or delete it" : "these objects, or delete them") in the same save."
        )
    }
}
