/// The members of an ordered to-many relationship of one object: a collection that keeps its order in the
/// store.
///
/// The first access loads the members, in order, together with those of the object's whole cohort, in one
/// statement. ``append(_:)`` and ``contains(_:)`` do not load them. Each member is in the collection once. If
/// you set a member's own to-one side, it is appended here.
///
/// A change of the members or their order is a change of the owner. If two contexts make one, the second to
/// save gets a conflict. A move within the list writes that member's place and the owner's version, for a
/// list of any length.
///
/// Source: Core Data's ordered relationships and `NSOrderedSet`.
public struct OrderedToMany<Member: ManagedObject>: RandomAccessCollection {
    private let holder: ManagedObject
    let slot: Int

    var owner: ManagedObject { holder.resolved }

    /// Creates the view of `owner`'s relationship in `slot`; called by accessors.
    public init(_ owner: ManagedObject, _ slot: Int) {
        holder = owner
        self.slot = slot
    }

    /// The position of the first member, 0.
    public var startIndex: Int { 0 }

    /// The number of members; loads them if needed.
    public var endIndex: Int { owner.membersOf(slot).count }

    /// The number of members; loads them if needed, because collections are counted before they are iterated.
    ///
    /// `owner.value(forKeyPath: "songs.@count")` counts without loading.
    public var count: Int { endIndex }

    /// A Boolean value that indicates whether the relationship has no members; loads them if needed.
    public var isEmpty: Bool { endIndex == 0 }

    /// The member at a position from 0 to ``count`` - 1; loads the members if needed.
    ///
    /// If they cannot be loaded, the result is a fault that belongs to no context, and the context fails. A
    /// position out of range of loaded members stops the process, as for an array.
    public subscript(position: Int) -> Member {
        let members = owner.membersOf(slot)
        if !members.indices.contains(position), let missing = owner.missingMember(slot) as? Member {
            return missing
        }
        precondition(
            members.indices.contains(position),
            "The position \(position) is out of range: there are \(members.count) members. Check count first."
        )
        guard let member = members[position] as? Member else {
            preconditionFailure(
                "The member at \(position) has the entity \(members[position].entityName), whose class is not "
                    + "\(Member.self). Correct the type of the relationship in the class of its owner."
            )
        }
        return member
    }

    // The standard library's own forms of these stop the process for a list that could not be loaded.

    /// Returns the next position; loads nothing.
    public func index(after position: Int) -> Int { position + 1 }

    /// Returns the previous position; loads nothing.
    public func index(before position: Int) -> Int { position - 1 }

    /// Returns a position at a distance from another one; loads nothing.
    public func index(_ position: Int, offsetBy distance: Int) -> Int { position + distance }

    /// Returns the distance from one position to another; loads nothing.
    public func distance(from start: Int, to end: Int) -> Int { end - start }

    /// The members in a range of positions, with the rules of the subscript with one position.
    public subscript(bounds: Range<Int>) -> Slice<OrderedToMany<Member>> {
        let count = owner.membersOf(slot).count
        if bounds.lowerBound < 0 || bounds.upperBound > count, owner.missingMember(slot) == nil {
            preconditionFailure(
                "The positions \(bounds) are out of range: there are \(count) members. Check count first.")
        }
        return Slice(base: self, bounds: bounds)
    }

    /// The members from a position on, with the rules of the subscript with one position.
    public subscript(bounds: PartialRangeFrom<Int>) -> Slice<OrderedToMany<Member>> {
        self[bounds.lowerBound..<Swift.max(bounds.lowerBound, endIndex)]
    }

    /// Returns a Boolean value that indicates whether `member` is one of the members.
    ///
    /// It costs at most one statement, and none if the answer is known in memory.
    public func contains(_ member: Member) -> Bool { owner.hasMember(member, slot) }

    /// Returns the position of a member, or nil if it is not one; loads the members if needed.
    public func firstIndex(of member: Member) -> Int? {
        owner.loadedList(slot)?.position(of: member.resolved)
    }

    /// Returns an iterator over the members in order, and loads them if needed.
    public func makeIterator() -> IndexingIterator<[Member]> { objects.makeIterator() }

    /// The members as an array, in order.
    public var objects: [Member] { owner.members(slot) }

    /// Adds a member at the end and sets its side of the relationship. If it is a member already, nothing
    /// happens.
    public func append(_ member: Member) { owner.insertMember(member, slot) }

    /// Adds members at the end, in their order. Those that are members already keep their position.
    public func append(contentsOf members: some Sequence<Member>) { for member in members { append(member) } }

    /// Inserts a member at `position`, from 0 to ``count``. If it is a member already, nothing happens.
    public func insert(_ member: Member, at position: Int) {
        owner.insertMember(member, slot, at: position)
    }

    /// Removes a member and clears its side of the relationship. If it is not a member, nothing happens.
    public func remove(_ member: Member) { owner.removeMember(member, slot) }

    /// Removes the member at a position from 0 to ``count`` - 1, and returns it.
    @discardableResult
    public func remove(at position: Int) -> Member {
        let member = self[position]
        remove(member)
        return member
    }

    /// Removes all members and clears their side of the relationship; loads them if needed.
    public func removeAll() { replace(with: []) }

    /// Removes the members that satisfy a condition; loads all of them if needed.
    ///
    /// - Throws: The error of the condition. Nothing is removed then.
    public func removeAll(where shouldBeRemoved: (Member) throws -> Bool) rethrows {
        let kept = try objects.filter { try !shouldBeRemoved($0) }
        if kept.count < count { replace(with: kept) }
    }

    /// Moves a member to `position`, from 0 to ``count`` - 1. If it is not a member, nothing happens.
    public func move(_ member: Member, to position: Int) { owner.moveMember(member, slot, to: position) }

    /// Replaces all members by these, in this order. If one occurs twice, its first position counts.
    public func replace(with members: some Sequence<Member>) {
        owner.replaceMembers(slot, with: Array(members))
    }
}

/// An array literal for ``OrderedToMany``, which the compiler refuses with a message.
@available(
    *, unavailable,
    message: "assign members with replace(with:), or change them with append(_:) and remove(_:)"
)
extension OrderedToMany: ExpressibleByArrayLiteral {
    /// Does nothing; no program that calls this compiles.
    public init(arrayLiteral elements: Member...) { _Emitted.refused() }
}
