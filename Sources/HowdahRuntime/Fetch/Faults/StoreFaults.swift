import HowdahModel
import PQClient

/// The database's answers to requests of cohorts.
struct StoreFaults {
    let context: ManagedObjectContext
    /// The text after each statement, which says which code sent it.
    var comment = ""

    /// Fills faults, with a statement for each hierarchy. Those whose rows are deleted stay faults.
    func fill(_ faults: [ManagedObject]) throws {
        if faults.count == 1 { return try fill(faults, root: faults[0].layout.root) }
        for (root, members) in Dictionary(grouping: faults, by: { $0.layout.root }) {
            try fill(members, root: root)
        }
    }

    /// Fills faults of one hierarchy.
    private func fill(_ members: [ManagedObject], root: Int) throws {
        let layout = context.layouts[root]
        let selection = context.store.layouts.selection(of: layout)
        // One key is compared, not searched for in an array: that is the server's fastest look-up.
        let isSingle = members.count == 1
        var sql = isSingle ? selection.rowByKey : selection.rowsByKeys
        if !comment.isEmpty { sql += comment }
        var parameters = Parameters(capacity: 1)
        if isSingle { parameters.append(members[0].key) } else { parameters.append(members.map(\.key)) }
        try context.withConnection { connection in
            var registration = Registration(context, selection, of: layout, expecting: members.count)
            let subject = subject(layout, members)
            let result = try connection.query(sql, parameters, about: subject)
            _ = try registration.register(result)
            registration.awaken()
        }
    }

    /// Assigns owners the number of their members, in one statement.
    func countMembers(of owners: [ManagedObject], _ relationship: RelationshipLayout) throws {
        var parameters = Parameters()
        parameters.append(owners.map(\.key))
        let statement = MemberStatement(relationship, context.layouts)
        var counts: [Int64: Int] = [:]
        try context.withConnection { connection in
            let subject = subject(context.layouts[relationship.destination], owners)
            let result = try connection.query(statement.counts, parameters, about: subject)
            result.forEachRow { counts[$0[0].int64] = Int($0[1].int64) }
        }
        for owner in owners { owner.toManyState(relationship.slot).storedCount = counts[owner.key] ?? 0 }
    }

    /// Returns a Boolean value that indicates whether a row makes an object a member.
    func holds(
        _ member: ManagedObject, of owner: ManagedObject, _ relationship: RelationshipLayout
    ) throws -> Bool {
        let statement = MemberStatement(relationship, context.layouts)
        return try context.withConnection { connection in
            var parameters = Parameters()
            parameters.append(owner.key)
            parameters.append(member.key)
            let subject = subject(context.layouts[relationship.destination], [owner])
            return try connection.about(subject) {
                try connection.query(statement.membership, parameters).rowCount > 0
            }
        }
    }

    /// Returns the stored members of each owner, in the order of the owners. If they have an order, their
    /// numbers are kept.
    func members(
        of owners: [ManagedObject], _ relationship: RelationshipLayout
    ) throws -> [[ManagedObject]] {
        let layout = context.layouts[relationship.destination]
        let selection = context.store.layouts.selection(of: layout)
        let budget = context.store.settings.cohortRowLimit
        let keys = owners.map(\.key)
        let statement = MemberStatement(relationship, context.layouts)
        let expected = context.store.sizes.estimate(
            root: layout.root, for: keys.count, of: owners[0].layout.root)
        let first = statement.firstColumn
        var places = KeyIndex(keys)
        var found: [[ManagedObject]] = Array(repeating: [], count: keys.count)
        var registration = Registration(
            context, selection, of: layout, firstColumn: first, expecting: min(expected, budget))
        let subject = subject(layout, owners)
        try context.withConnection { connection in
            let add: (Row) throws -> Void = { row in
                guard registration.objects.count < budget else {
                    throw FetchError(
                        .tooManyRows,
                        "\(relationship.name) of \(owners.count) objects has more than \(budget) members. Fetch the "
                            + "members with a limit, or raise StoreOptions.cohortRowLimit.")
                }
                let member = try registration.add(row)
                let place = places.place(of: row[0].int64)
                found[place].append(member)
                if first == 2, !row[1].isNull {
                    owners[place].toManyState(relationship.slot).numbers[member.key] = row[1].int64
                }
            }
            if expected >= TableSizes.copyThreshold {
                let sql = statement.members(
                    selection, keys: SQLLiteral.integers(keys), limit: SQLLiteral.integer(budget + 1))
                _ = try context.registry.decoding {
                    try connection.about(subject) {
                        try connection.copyOut(
                            sql, begin: { try selection.check($0, first: first) }, row: add)
                    }
                }
            } else {
                var parameters = Parameters()
                parameters.append(keys)
                parameters.append(Int64(budget + 1))
                let result = try connection.query(
                    statement.members(selection) + comment, parameters, about: subject)
                try selection.check(result, first: first)
                try context.registry.decoding { try result.forEachRow(add) }
            }
        }
        registration.makeCohort(site: owners.first?.cohort?.site ?? "")
        registration.awaken()
        return found
    }

    /// Returns the subject of a statement that loads for some objects.
    private func subject(_ layout: EntityLayout, _ objects: [ManagedObject]) -> StatementSubject {
        guard context.store.events.need == .everything else {
            return StatementSubject(.select, layout.table.subject)
        }
        let site = comment.isEmpty ? objects.first?.cohort?.site ?? "" : comment
        return StatementSubject(.select, layout.table.subject, comment: site)
    }
}
