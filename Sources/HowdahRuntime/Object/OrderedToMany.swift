/// The members of an ordered to-many relationship, seen from one object.
///
/// A model may describe ordered relationships; opening a store refuses them until they are supported.
public struct OrderedToMany<Member: ManagedObject>: Sequence {
    private let members: ToMany<Member>

    /// The view of `owner`'s relationship in `slot`; called by accessors.
    public init(_ owner: ManagedObject, _ slot: Int) { members = ToMany(owner, slot) }

    /// How many members there are; at most one statement for the cohort, and none where they are loaded.
    public var count: Int { members.count }

    /// Whether there are no members; costs what ``count`` costs.
    public var isEmpty: Bool { members.isEmpty }

    /// Whether `member` is one of the members; at most one statement, and none where it is known here.
    public func contains(_ member: Member) -> Bool { members.contains(member) }

    /// Loads the members where needed and walks them in order.
    public func makeIterator() -> IndexingIterator<[Member]> { members.makeIterator() }

    /// The members as an array, in order.
    public var objects: [Member] { members.objects }
}
