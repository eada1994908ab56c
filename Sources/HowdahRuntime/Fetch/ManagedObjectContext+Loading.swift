import HowdahModel
import PQClient

extension ManagedObjectContext {
    /// Fills faults from the store, a statement per hierarchy; those whose rows are gone stay faults.
    func load(_ faults: [ManagedObject]) throws {
        for (root, members) in Dictionary(grouping: faults, by: { $0.layout.root }) {
            let layout = layouts[root]
            let selection = store.layouts.selection(of: layout)
            let sql =
                "SELECT \(selection.text(alias: "t0")) FROM \(layout.table) t0 WHERE t0.\"_id\" = ANY($1)"
            var parameters = Parameters()
            parameters.append(members.map(\.key))
            try withConnection { connection in
                let result = try connection.query(sql, parameters)
                _ = try Registration(self, selection, of: layout).register(result, asCohort: false)
            }
        }
    }

    /// Loads the to-one destinations of many owners, and gives each owner its own.
    func loadDestinations(of owners: [ManagedObject], _ relationship: RelationshipLayout) throws {
        let slot = relationship.slot
        if case .foreignKey = relationship.storage {
            var faults: [ObjectIdentifier: ManagedObject] = [:]
            try load(owners.filter { $0._flags.contains(.fault) })
            for owner in owners {
                guard let destination = owner.destination(slot), destination._flags.contains(.fault) else {
                    continue
                }
                faults[ObjectIdentifier(destination)] = destination
            }
            if !faults.isEmpty { try load(Array(faults.values)) }
            return
        }
        let found = try membersByOwner(of: owners, relationship)
        for owner in owners where owner._toOneField(at: slot).isUnknown {
            let destination = found[owner.key]?.first { stillBelongs($0, to: owner, relationship) }
            owner._assignToOne(
                destination.map { ToOneField(key: $0.key, entity: Int32($0.layout.index), object: $0) }
                    ?? .none,
                at: slot)
        }
    }

    /// Loads the members of a to-many relationship for many owners, in one statement.
    func loadMembers(of owners: [ManagedObject], _ relationship: RelationshipLayout) throws {
        let waiting = owners.filter {
            !$0._flags.contains(.inserted) && !$0.toManyState(relationship.slot).isLoaded
        }
        guard !waiting.isEmpty else { return }
        let found = try membersByOwner(of: waiting, relationship)
        for owner in waiting {
            let members = (found[owner.key] ?? []).filter { stillBelongs($0, to: owner, relationship) }
            owner.toManyState(relationship.slot).load(members)
        }
    }

    /// Counts the members of a to-many relationship for many owners, in one statement.
    func countMembers(of owners: [ManagedObject], _ relationship: RelationshipLayout) throws {
        var parameters = Parameters()
        parameters.append(owners.map(\.key))
        let statement = MemberStatement(relationship, layouts)
        var counts: [Int64: Int] = [:]
        try withConnection { connection in
            let result = try connection.query(statement.counts, parameters)
            result.forEachRow { counts[$0[0].int64] = Int($0[1].int64) }
        }
        for owner in owners { owner.toManyState(relationship.slot).storedCount = counts[owner.key] ?? 0 }
    }

    private func membersByOwner(
        of owners: [ManagedObject], _ relationship: RelationshipLayout
    ) throws -> [Int64: [ManagedObject]] {
        let layout = layouts[relationship.destination]
        let selection = store.layouts.selection(of: layout)
        let budget = store.settings.cohortRowBudget
        var parameters = Parameters()
        parameters.append(owners.map(\.key))
        parameters.append(Int64(budget + 1))
        let sql = MemberStatement(relationship, layouts).members(selection)
        return try withConnection { connection in
            let result = try connection.query(sql, parameters)
            guard result.rowCount <= budget else {
                throw FetchError(
                    .tooManyRows,
                    "\(relationship.name) of \(owners.count) objects has more than \(budget) members; fetch them with a "
                        + "limit, or raise cohortRowBudget where the container is opened.")
            }
            var registration = Registration(self, selection, of: layout)
            registration.firstColumn = 1
            let members = try registration.register(result)
            var found: [Int64: [ManagedObject]] = [:]
            let owners = result.map { $0[0].int64 }
            for (owner, member) in zip(owners, members) { found[owner, default: []].append(member) }
            return found
        }
    }

    /// Whether a stored member is still one in memory: an unsaved change may have given it another owner.
    private func stillBelongs(
        _ member: ManagedObject, to owner: ManagedObject, _ relationship: RelationshipLayout
    ) -> Bool {
        if member._flags.contains(.deleted) { return false }
        guard let inverse = relationship.inverse, !relationship.inverseIsToMany, member.isWritten(inverse)
        else {
            return true
        }
        let field = member._toOneField(at: inverse)
        return field.entity >= 0 && (field.object === owner || field.key == owner.key)
    }
}
