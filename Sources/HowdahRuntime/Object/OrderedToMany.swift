/// The members of an ordered to-many relationship, seen from one object: a collection that keeps its order in the
/// store.
///
/// Touching the members loads them, in order, together with those of the object's whole cohort, in one statement.
/// ``append(_:)`` and ``contains(_:)`` do without. Each member is in it once. Setting a member's own to-one side
/// appends it here.
///
/// A change of the members or their order is a change of the owner: of two contexts that make one, the second to
/// save gets a conflict. Moving a member within the list writes that member's place and the owner's version,
/// however long the list is.
///
/// Source: Core Data's ordered relationships and `NSOrderedSet`.
public struct OrderedToMany<Member: ManagedObject>: RandomAccessCollection {
    private let holder: ManagedObject
    let slot: Int

    var owner: ManagedObject { holder.resolved }

    /// The view of `owner`'s relationship in `slot`; called by accessors.
    public init(_ owner: ManagedObject, _ slot: Int) {
        holder = owner
        self.slot = slot
    }

    /// 0.
    public var startIndex: Int { 0 }

    /// How many members there are; loads them where needed.
    public var endIndex: Int { owner.membersOf(slot).count }

    /// How many members there are; loads them where needed, because collections are counted before they are walked.
    ///
    /// `owner.value(forKeyPath: "songs.@count")` counts without loading.
    public var count: Int { endIndex }

    /// Whether there are no members; loads them where needed.
    public var isEmpty: Bool { endIndex == 0 }

    /// The member at a position from 0 to ``count`` - 1; loads the members where needed.
    ///
    /// If they cannot be loaded, a fault that belongs to no context, and the context fails. A position out of range of
    /// loaded members stops the process, as an array does.
    public subscript(position: Int) -> Member {
        let members = owner.membersOf(slot)
        if !members.indices.contains(position), let missing = owner.missingMember(slot) as? Member {
            return missing
        }
        precondition(
            members.indices.contains(position),
            "position \(position) is not among the \(members.count) members; look at count first")
        guard let member = members[position] as? Member else {
            preconditionFailure(
                "the member at \(position) is a \(members[position].entityName), which is no \(Member.self)")
        }
        return member
    }

    // The standard library's own forms of these stop the process for a list that could not be loaded.

    /// The next position; nothing is loaded.
    public func index(after position: Int) -> Int { position + 1 }

    /// The position before; nothing is loaded.
    public func index(before position: Int) -> Int { position - 1 }

    /// A position some steps away; nothing is loaded.
    public func index(_ position: Int, offsetBy distance: Int) -> Int { position + distance }

    /// The steps from one position to another; nothing is loaded.
    public func distance(from start: Int, to end: Int) -> Int { end - start }

    /// The members at some positions; as the one at a position.
    public subscript(bounds: Range<Int>) -> Slice<OrderedToMany<Member>> {
        let count = owner.membersOf(slot).count
        if bounds.lowerBound < 0 || bounds.upperBound > count, owner.missingMember(slot) == nil {
            preconditionFailure(
                "positions \(bounds) are not among the \(count) members; look at count first")
        }
        return Slice(base: self, bounds: bounds)
    }

    /// The members from a position on; as the one at a position.
    public subscript(bounds: PartialRangeFrom<Int>) -> Slice<OrderedToMany<Member>> {
        self[bounds.lowerBound..<Swift.max(bounds.lowerBound, endIndex)]
    }

    /// Whether `member` is one of the members; at most one statement, and none where it is known here.
    public func contains(_ member: Member) -> Bool { owner.hasMember(member, slot) }

    /// The position of a member, or nil where it is none; loads the members where needed.
    public func firstIndex(of member: Member) -> Int? {
        owner.loadedList(slot)?.position(of: member.resolved)
    }

    /// Loads the members where needed and walks them in order.
    public func makeIterator() -> IndexingIterator<[Member]> { objects.makeIterator() }

    /// The members as an array, in order.
    public var objects: [Member] { owner.members(slot) }

    /// Adds a member at the end and sets its side of the relationship; nothing happens where it is one already.
    public func append(_ member: Member) { owner.insertMember(member, slot) }

    /// Adds members at the end, in their order; those that are members already stay where they are.
    public func append(contentsOf members: some Sequence<Member>) { for member in members { append(member) } }

    /// Adds a member so that it stands at `position`, from 0 to ``count``; nothing happens where it is one already.
    public func insert(_ member: Member, at position: Int) {
        owner.insertMember(member, slot, at: position)
    }

    /// Removes a member and clears its side of the relationship; nothing happens where it is none.
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
    /// - Throws: what the condition throws; nothing is removed then.
    public func removeAll(where shouldBeRemoved: (Member) throws -> Bool) rethrows {
        let kept = try objects.filter { try !shouldBeRemoved($0) }
        if kept.count < count { replace(with: kept) }
    }

    /// Moves a member so that it stands at `position`, from 0 to ``count`` - 1; nothing happens where it is none.
    public func move(_ member: Member, to position: Int) { owner.moveMember(member, slot, to: position) }

    /// Makes these the only members, in this order; what comes twice counts where it comes first.
    public func replace(with members: some Sequence<Member>) {
        owner.replaceMembers(slot, with: Array(members))
    }
}

/// An array literal for ``OrderedToMany``; the compiler says what to write instead.
@available(
    *, unavailable,
    message: "assign members with replace(with:), or change them with append(_:) and remove(_:)"
)
extension OrderedToMany: ExpressibleByArrayLiteral {
    /// Nothing; no program that calls this compiles.
    public init(arrayLiteral elements: Member...) { _Emitted.refused() }
}
