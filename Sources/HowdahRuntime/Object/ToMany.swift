/// The members of a to-many relationship of one object: a sequence that loads when you iterate over it.
///
/// `count`, `isEmpty` and `contains` query the store without loading members. If you insert or remove a
/// member, the inverse is updated and nothing is loaded. Only if you change a many-to-many back before a save
/// may a query be needed: it looks up the pair, unless that is known.
///
/// Iteration loads the members of the object's whole cohort in one statement. So a loop over owners and their
/// members costs two statements.
///
/// Members are in no particular order; if the relationship is ordered, use ``OrderedToMany``.
public struct ToMany<Member: ManagedObject>: Sequence {
    private let holder: ManagedObject
    let slot: Int

    var owner: ManagedObject { holder.resolved }

    /// Creates the view of `owner`'s relationship in `slot`; called by accessors.
    public init(_ owner: ManagedObject, _ slot: Int) {
        holder = owner
        self.slot = slot
    }

    /// The number of members.
    ///
    /// It costs at most one statement for the cohort, and none if the members are loaded.
    public var count: Int { owner.countOfMembers(slot) }

    /// A Boolean value that indicates whether the relationship has no members; it costs the same as
    /// ``count``.
    public var isEmpty: Bool { count == 0 }

    /// Returns a Boolean value that indicates whether `member` is one of the members.
    ///
    /// It costs at most one statement, and none if the answer is known in memory.
    public func contains(_ member: Member) -> Bool { owner.hasMember(member, slot) }

    /// Adds a member and sets its side of the relationship. If it is a member already, nothing happens.
    public func insert(_ member: Member) { owner.insertMember(member, slot) }

    /// Removes a member and clears its side of the relationship. If it is not a member, nothing happens.
    public func remove(_ member: Member) { owner.removeMember(member, slot) }

    /// Returns an iterator over the members, and loads them if needed.
    public func makeIterator() -> IndexingIterator<[Member]> { objects.makeIterator() }

    /// The members as an array.
    public var objects: [Member] { owner.members(slot) }

    /// One of the members, or nil if there is none; loads the members if needed.
    ///
    /// Members are in no particular order. Use it if there is only one, or if any of them will do.
    public var first: Member? { objects.first }

    /// Removes all members and clears their side of the relationship; loads them if needed.
    public func removeAll() { for member in objects { remove(member) } }

    /// Removes the members that satisfy a condition; loads all of them if needed.
    ///
    /// - Throws: The error of the condition. Members that were tested before are removed then.
    public func removeAll(where shouldBeRemoved: (Member) throws -> Bool) rethrows {
        for member in objects where try shouldBeRemoved(member) { remove(member) }
    }

    /// Replaces all members by these.
    public func replace(with members: some Sequence<Member>) {
        let wanted = Array(members)
        let kept = Set(wanted.map { ObjectIdentifier($0.resolved) })
        for member in objects where !kept.contains(ObjectIdentifier(member)) { remove(member) }
        for member in wanted { insert(member) }
    }
}

/// An array literal for ``ToMany``, which the compiler refuses with a message.
@available(
    *, unavailable,
    message: "assign members with replace(with:), or change them with insert(_:) and remove(_:)"
)
extension ToMany: ExpressibleByArrayLiteral {
    /// Does nothing; no program that calls this compiles.
    public init(arrayLiteral elements: Member...) { _Emitted.refused() }
}
