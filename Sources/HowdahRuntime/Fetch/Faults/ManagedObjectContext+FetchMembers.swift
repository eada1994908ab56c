public import Foundation
public import HowdahModel

extension ManagedObjectContext {
    /// Returns the members of each owner that match a `#Predicate`, in an order, at most `limit` for each (0:
    /// all).
    ///
    /// For example, it fetches the three latest comments of each of fifty posts. The call sends one statement
    /// for up to 10,000 owners. If unsaved changes concern the members, there is one more, and they count as
    /// in ``fetch(_:)``.
    ///
    /// The owners' own collections are neither loaded nor changed. With an index on the foreign key and the
    /// sort keys, the database reads only the members that it returns.
    ///
    /// - Throws: The errors of the form that takes a request.
    public func fetchMembers<Owner: ManagedObject, Relationship: ToManyValue>(
        _ relationship: KeyPath<Owner, Relationship>, of owners: some Sequence<Owner>,
        where predicate: Predicate<Relationship.Member>, sortedBy sortKeys: SortKey<Relationship.Member>...,
        limit: Int = 0, offset: Int = 0
    ) throws -> MembersByOwner<Owner, Relationship.Member> {
        var request = FetchRequest(where: predicate)
        request.sortDescriptors = sortKeys
        request.fetchLimit = limit
        request.fetchOffset = offset
        return try fetchMembers(relationship, of: owners, request)
    }

    /// Returns the members of each owner that match a predicate, in an order, at most `limit` for each (0:
    /// all).
    ///
    /// - Throws: The errors of the form that takes a request.
    public func fetchMembers<Owner: ManagedObject, Relationship: ToManyValue>(
        _ relationship: KeyPath<Owner, Relationship>, of owners: some Sequence<Owner>,
        matching predicate: PredicateTree? = nil, sortedBy sortKeys: SortKey<Relationship.Member>...,
        limit: Int = 0, offset: Int = 0
    ) throws -> MembersByOwner<Owner, Relationship.Member> {
        var request = FetchRequest<Relationship.Member>()
        request.predicate = predicate
        request.sortDescriptors = sortKeys
        request.fetchLimit = limit
        request.fetchOffset = offset
        return try fetchMembers(relationship, of: owners, request)
    }

    /// Returns the members of each owner that a request describes; its limit and its offset are for each
    /// owner.
    ///
    /// Without sort keys, members of an ordered relationship are in their order, others in the order of their
    /// ids. A row lock is refused.
    ///
    /// - One statement for up to 10,000 owners.
    /// - One more if unsaved changes concern the members.
    /// - One for owners whose ordered members were changed, which are loaded.
    /// - One for each prefetched step.
    ///
    /// - Throws: `FetchError.invalidRequest` if the path is not a stored to-many relationship of an owner, or
    ///   if the request is for another entity than its destination. `tooManyRows` beyond the container's
    ///   `cohortRowLimit`. The errors of ``fetch(_:)``.
    public func fetchMembers<Owner: ManagedObject, Relationship: ToManyValue>(
        _ relationship: KeyPath<Owner, Relationship>, of owners: some Sequence<Owner>,
        _ request: FetchRequest<Relationship.Member>
    ) throws -> MembersByOwner<Owner, Relationship.Member> {
        guard let name = PropertyNames.name(of: relationship) else {
            throw FetchError(.invalidRequest, PropertyNames.complaint(about: relationship))
        }
        return try fetchMembers(name, of: owners, request)
    }

    /// Returns the members of a relationship by name that a request describes.
    ///
    /// If the request is for `ManagedObject`s and has no entity, it is for the relationship's destination.
    ///
    /// - Throws: The errors of the form that takes a request.
    public func fetchMembers<Owner: ManagedObject, Member: ManagedObject>(
        _ relationship: String, of owners: some Sequence<Owner>, _ request: FetchRequest<Member>
    ) throws -> MembersByOwner<Owner, Member> {
        try throwFailure()
        var isKnown: Set<ObjectIdentifier> = []
        let owners = owners.map { $0.resolved as? Owner ?? $0 }.filter {
            isKnown.insert(ObjectIdentifier($0)).inserted
        }
        for owner in owners {
            try checkOwnership(of: owner, "passed as an owner of members")
        }
        do {
            if let error = request.predicate?.error { throw error }
            if owners.isEmpty, let layout = store.layout(of: Owner.self) {
                _ = try MemberFetch(self, relationship, in: layout, request)
            }
            var found: [[Member]] = Array(repeating: [], count: owners.count)
            var groups: [String: (fetch: MemberFetch<Member>, places: [Int])] = [:]
            for (entity, places) in Dictionary(grouping: owners.indices, by: { owners[$0].layout.index }) {
                let fetch = try MemberFetch(self, relationship, in: layouts[entity], request)
                groups[fetch.identity, default: (fetch, [])].places += places
            }
            for (fetch, places) in groups.values {
                for start in stride(from: 0, to: places.count, by: Prefetch.chunk) {
                    let chunk = places[start..<min(start + Prefetch.chunk, places.count)]
                    let members = try fetch.run(chunk.map { owners[$0] })
                    for (place, members) in zip(chunk, members) { found[place] = members }
                }
            }
            for path in request.relationshipKeyPathsForPrefetching {
                var isKnown: Set<ObjectIdentifier> = []
                let members = found.joined().filter { isKnown.insert(ObjectIdentifier($0)).inserted }
                try Prefetch(self, comment: request.comment).follow(path, from: members)
            }
            try throwFailure()
            return MembersByOwner(owners, found)
        } catch {
            throw store.readError(error, patterns: request.patterns, search: request.search)
        }
    }
}
