import HowdahModel
import PQClient

extension ManagedObjectContext {
    /// The objects that are not about to be deleted, as what they were asked for.
    func visible<Object: ManagedObject>(_ objects: [ManagedObject], of layout: EntityLayout) -> [Object] {
        typed(deleted.isEmpty ? objects : objects.filter { !$0._flags.contains(.deleted) }, of: layout)
    }

    package func typed<Object: ManagedObject>(_ objects: [ManagedObject], of layout: EntityLayout) -> [Object]
    {
        guard store.classes.areAll(Object.self, in: layout) else {
            return objects.compactMap { $0 as? Object }
        }
        // All are Objects, and arrays of references have one layout; casting each would cost as much as making it.
        return unsafeBitCast(objects, to: [Object].self)
    }

    /// Fills faults from the store, a statement per hierarchy; those whose rows are gone stay faults.
    ///
    /// - Parameter comment: what stands behind each statement, to say whose it is.
    package func load(_ faults: [ManagedObject], comment: String = "") throws {
        if parent != nil { return try loadFromParent(faults) }
        for (root, members) in Dictionary(grouping: faults, by: { $0.layout.root }) {
            let layout = layouts[root]
            let selection = store.layouts.selection(of: layout)
            // One key is compared, not searched for in an array: that is the server's fastest look-up.
            let isSingle = members.count == 1
            let sql = (isSingle ? selection.rowByKey : selection.rowsByKeys) + comment
            var parameters = Parameters()
            if isSingle { parameters.append(members[0].key) } else { parameters.append(members.map(\.key)) }
            try withConnection { connection in
                var registration = Registration(self, selection, of: layout, expecting: members.count)
                _ = try registration.register(connection.query(sql, parameters))
                registration.awaken()
            }
        }
    }

    /// Loads the to-one destinations of many owners, and gives each owner its own.
    package func loadDestinations(
        of owners: [ManagedObject], _ relationship: RelationshipLayout, comment: String = ""
    ) throws {
        let slot = relationship.slot
        if case .foreignKey = relationship.storage {
            var faults: [ObjectIdentifier: ManagedObject] = [:]
            try load(owners.filter { !$0.holds(slot) }, comment: comment)
            for owner in owners {
                guard let destination = owner.destination(slot), destination._flags.contains(.fault) else {
                    continue
                }
                faults[ObjectIdentifier(destination)] = destination
            }
            if !faults.isEmpty { try load(Array(faults.values), comment: comment) }
            return
        }
        guard !owners.isEmpty else { return }
        let found =
            parent != nil
            ? try partnersFromParent(of: owners, relationship)
            : try membersByOwner(of: owners, relationship, comment) { _, _, _ in }
        for (owner, stored) in zip(owners, found) where owner._toOneField(at: slot).isUnknown {
            let destination = stored.first { stillBelongs($0, to: owner, relationship) }
            owner._assignToOne(
                destination.map { ToOneField(key: $0.key, entity: Int32($0.layout.index), object: $0) }
                    ?? .none,
                at: slot)
            if let destination { noteReference(of: owner, slot, to: destination) }
        }
    }

    /// Loads the members of a to-many relationship for many owners, in one statement.
    package func loadMembers(
        of owners: [ManagedObject], _ relationship: RelationshipLayout, comment: String = ""
    ) throws {
        let waiting = owners.filter {
            !$0._flags.contains(.inserted) && !$0.toManyState(relationship.slot).isLoaded
        }
        guard !waiting.isEmpty else { return }
        // The owner's version stands for its members; one read later than they would hide a change between.
        if relationship.isKeptByOwner {
            try load(waiting.filter { $0._flags.contains(.fault) }, comment: comment)
        }
        let found =
            parent != nil
            ? try membersFromParent(of: waiting, relationship)
            : try membersByOwner(of: waiting, relationship, comment) { owner, member, number in
                waiting[owner].toManyState(relationship.slot).numbers[member] = number
            }
        let mayDiffer = hasChanges
        for (owner, stored) in zip(waiting, found) {
            let members = mayDiffer ? stored.filter { stillBelongs($0, to: owner, relationship) } : stored
            owner.toManyState(relationship.slot).load(members)
        }
    }

    /// Counts the members of a to-many relationship for many owners, in one statement.
    func countMembers(of owners: [ManagedObject], _ relationship: RelationshipLayout) throws {
        if parent != nil { return try countMembersInParent(of: owners, relationship) }
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

    /// The stored members of each owner, in the order of the owners.
    ///
    /// - Parameter note: takes the number of a member of an ordered collection, with the owner's place.
    private func membersByOwner(
        of owners: [ManagedObject], _ relationship: RelationshipLayout, _ comment: String,
        numbers note: (_ owner: Int, _ member: Int64, _ number: Int64) -> Void
    ) throws -> [[ManagedObject]] {
        let layout = layouts[relationship.destination]
        let selection = store.layouts.selection(of: layout)
        let budget = store.settings.cohortRowBudget
        let keys = owners.map(\.key)
        let statement = MemberStatement(relationship, layouts)
        let expected = store.sizes.estimate(root: layout.root, for: keys.count, of: owners[0].layout.root)
        let first = statement.firstColumn
        var places = KeyIndex(keys)
        var found: [[ManagedObject]] = Array(repeating: [], count: keys.count)
        var registration = Registration(
            self, selection, of: layout, firstColumn: first, expecting: min(expected, budget))
        try withConnection { connection in
            let add: (Row) throws -> Void = { row in
                guard registration.objects.count < budget else {
                    throw FetchError(
                        .tooManyRows,
                        "\(relationship.name) of \(owners.count) objects has more than \(budget) members; fetch them "
                            + "with a limit, or raise cohortRowBudget where the container is opened.")
                }
                let member = try registration.add(row)
                let place = places.place(of: row[0].int64)
                found[place].append(member)
                if first == 2, !row[1].isNull { note(place, member.key, row[1].int64) }
            }
            if expected >= TableSizes.copyThreshold {
                let sql = statement.members(
                    selection, keys: SQLLiteral.integers(keys), limit: SQLLiteral.integer(budget + 1))
                try connection.copyOut(sql, begin: { try selection.check($0, first: first) }, row: add)
            } else {
                var parameters = Parameters()
                parameters.append(keys)
                parameters.append(Int64(budget + 1))
                let result = try connection.query(
                    statement.members(selection) + comment, parameters)
                try selection.check(result, first: first)
                try result.forEachRow(add)
            }
        }
        registration.makeCohort()
        registration.awaken()
        return found
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
