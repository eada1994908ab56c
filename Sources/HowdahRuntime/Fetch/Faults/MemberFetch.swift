import HowdahModel
import PQClient

/// A request on the members of several objects along one relationship.
struct MemberFetch<Member: ManagedObject> {
    /// A stored member, with its number if the list's order is requested.
    struct Found {
        let member: ManagedObject
        let number: Int64?
    }

    let context: ManagedObjectContext
    let request: FetchRequest<Member>
    let relationship: RelationshipLayout
    /// The entity of the requested members.
    let layout: EntityLayout

    /// Resolves the names in the model, so that wrong ones are errors for any owners.
    ///
    /// - Throws: `FetchError.invalidRequest`.
    init(
        _ context: ManagedObjectContext, _ name: String, in owner: EntityLayout,
        _ request: FetchRequest<Member>
    ) throws {
        self.context = context
        self.request = request
        relationship = try Self.relationship(name, of: owner)
        let destination = context.layouts[relationship.destination]
        let isAnything = request.entityName == nil && Member.self == ManagedObject.self
        if isAnything {
            var named = request
            named.entityName = destination.name
            layout = try context.layout(for: named)
        } else {
            layout = try context.layout(for: request)
        }
        guard destination.family.contains(layout.index) else {
            throw FetchError(
                .invalidRequest,
                "\(owner.name).\(name) refers to \(destination.name), and the request is for \(layout.name). Make a "
                    + "request for \(destination.name) or one of its sub-entities.")
        }
        guard request.rowLock == nil else {
            throw FetchError(
                .invalidRequest,
                "\(owner.name).\(name) cannot be fetched with a row lock. Fetch objects of \(destination.name) with "
                    + "the lock in a separate request."
            )
        }
        for path in request.relationshipKeyPathsForPrefetching {
            try Prefetch(context).check(path, from: layout)
        }
    }

    /// A text that is equal for owners of different entities that share the relationship.
    var identity: String { MemberStatement(relationship, context.layouts).membership }

    /// A Boolean value that indicates whether members are in the order of their ordered collection.
    var isListed: Bool { relationship.isOrdered && request.sortDescriptors.isEmpty }

    /// Returns the found members of each owner.
    func run(_ owners: [ManagedObject]) throws -> [[Member]] {
        guard request.includesPendingChanges, context.hasUnsavedObjects else {
            let found = try stored(request, of: owners).map { $0.map(\.member) }
            return found.map { context.typed($0, of: layout) }
        }
        context.processPendingChanges()
        return try merged(owners).map { context.visible($0, of: layout) }
    }

    /// Returns the members that the store finds for each owner.
    ///
    /// - Parameter fills: Indicates whether values are read; nil for the request's setting.
    func stored(
        _ request: FetchRequest<Member>, of owners: [ManagedObject], fills: Bool? = nil
    ) throws -> [[Found]] {
        var found: [[Found]] = Array(repeating: [], count: owners.count)
        if owners.isEmpty { return found }
        let fills = fills ?? request.includesPropertyValues
        let selection =
            try fills
            ? context.filledSelection(for: request, of: layout) : context.store.layouts.identities(of: layout)
        let budget = context.store.settings.cohortRowLimit
        let keys = owners.map(\.key)
        let statement = MemberFetchStatement(
            try RenderedFetch(request, layout: layout, layouts: context.layouts), along: relationship,
            selection: selection, of: keys, isListed: isListed, limit: request.fetchLimit,
            offset: request.fetchOffset, atMost: budget + 1)
        let first = statement.firstColumn
        var places = KeyIndex(keys)
        var registration = Registration(
            context, selection, of: layout, fills: fills, refills: request.shouldRefreshRefetchedObjects,
            firstColumn: first)
        try context.withConnection { connection in
            let subject = StatementSubject(.select, layout.table.subject, comment: request.comment)
            let result = try connection.query(statement.sql, statement.parameters, about: subject)
            guard result.rowCount <= budget else {
                throw FetchError(
                    .tooManyRows,
                    "\(relationship.name) of \(owners.count) objects has more than \(budget) members. Fetch the "
                        + "members with a lower limit, or raise StoreOptions.cohortRowLimit.")
            }
            try selection.check(result, first: first)
            try context.registry.decoding {
                try result.forEachRow { row in
                    let member = try registration.add(row)
                    let number = first == 2 && !row[1].isNull ? row[1].int64 : nil
                    found[places.place(of: row[0].int64)].append(Found(member: member, number: number))
                }
            }
        }
        registration.makeCohort(for: request)
        registration.awaken()
        return found
    }

    private static func relationship(_ name: String, of owner: EntityLayout) throws -> RelationshipLayout {
        guard let slot = owner.slotsByName[name] else {
            let names = owner.relationshipSlots.map(owner.relationship).filter(\.isToMany).map(\.name)
            let hint =
                NearestName.of(name, among: names).map { ". Did you mean '\($0)'?" } ?? ". Correct the name."
            throw FetchError(.invalidRequest, "\(owner.name) has no relationship '\(name)'\(hint)")
        }
        guard let relationship = owner.slots[slot].relationship, relationship.isToMany else {
            let remedy =
                owner.slots[slot].relationship == nil
                ? "it is an attribute. Name a to-many relationship."
                : "it is a to-one relationship. Add it to relationshipKeyPathsForPrefetching."
            throw FetchError(.invalidRequest, "\(owner.name).\(name) has no members to fetch: \(remedy)")
        }
        guard !relationship.isTransient else {
            throw FetchError(
                .invalidRequest,
                "\(owner.name).\(name) has no members to fetch: it is transient. Filter its members in memory."
            )
        }
        return relationship
    }
}
