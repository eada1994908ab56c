/// The members of a to-many relationship, seen from one object: a sequence that loads only when it is walked.
///
/// `count`, `isEmpty` and `contains` ask the store without loading members; inserting and removing keep the
/// inverse right on both sides and load nothing; only a many-to-many that is changed back before a save asks whether the
/// store has the pair, where nobody looked before. Walking loads the members of the object's whole cohort in one
/// statement, so that a loop over owners and their members costs two statements.
///
/// Members come in no particular order; use ``OrderedToMany`` where the model says ordered.
public struct ToMany<Member: ManagedObject>: Sequence {
    private let holder: ManagedObject
    let slot: Int

    var owner: ManagedObject { holder.resolved }

    /// The view of `owner`'s relationship in `slot`; called by accessors.
    public init(_ owner: ManagedObject, _ slot: Int) {
        holder = owner
        self.slot = slot
    }

    /// How many members there are; at most one statement for the cohort, and none where they are loaded.
    public var count: Int { owner.countOfMembers(slot) }

    /// Whether there are no members; costs what ``count`` costs.
    public var isEmpty: Bool { count == 0 }

    /// Whether `member` is one of the members; at most one statement, and none where it is known here.
    public func contains(_ member: Member) -> Bool { owner.hasMember(member, slot) }

    /// Adds a member and sets its side of the relationship; nothing happens where it is one already.
    public func insert(_ member: Member) { owner.insertMember(member, slot) }

    /// Removes a member and clears its side of the relationship; nothing happens where it is none.
    public func remove(_ member: Member) { owner.removeMember(member, slot) }

    /// Loads the members where needed and walks them.
    public func makeIterator() -> IndexingIterator<[Member]> { objects.makeIterator() }

    /// The members as an array.
    public var objects: [Member] { owner.members(slot) }

    /// One of the members, or nil if there is none; loads the members if needed.
    ///
    /// Members come in no particular order, so this is of use where there is one, or any will do.
    public var first: Member? { objects.first }

    /// Removes all members and clears their side of the relationship; loads them if needed.
    public func removeAll() { for member in objects { remove(member) } }

    /// Removes the members that satisfy a condition; loads all of them if needed.
    ///
    /// - Throws: what the condition throws; members that were tested before are removed then.
    public func removeAll(where shouldBeRemoved: (Member) throws -> Bool) rethrows {
        for member in objects where try shouldBeRemoved(member) { remove(member) }
    }

    /// Makes these the only members.
    public func replace(with members: some Sequence<Member>) {
        let wanted = Array(members)
        let kept = Set(wanted.map { ObjectIdentifier($0.resolved) })
        for member in objects where !kept.contains(ObjectIdentifier(member)) { remove(member) }
        for member in wanted { insert(member) }
    }
}

/// An array literal for ``ToMany``; the compiler says what to write instead.
@available(
    *, unavailable,
    message: "assign members with replace(with:), or change them with insert(_:) and remove(_:)"
)
extension ToMany: ExpressibleByArrayLiteral {
    /// Nothing; no program that calls this compiles.
    public init(arrayLiteral elements: Member...) { _Emitted.refused() }
}
