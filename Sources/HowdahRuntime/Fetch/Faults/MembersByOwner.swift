/// The result of a fetch of members: pairs of an owner and its members, in the order of the owners.
///
/// It is separate from the objects, because it is not the whole collection: the fetch neither loads nor
/// changes the owners' own properties.
public struct MembersByOwner<Owner: ManagedObject, Member: ManagedObject>: RandomAccessCollection {
    /// The objects whose members were fetched, each once.
    public let owners: [Owner]
    private let members: [[Member]]
    private let places: [ObjectIdentifier: Int]

    init(_ owners: [Owner], _ members: [[Member]]) {
        self.owners = owners
        self.members = members
        places = Dictionary(
            owners.enumerated().map { (ObjectIdentifier($1.resolved), $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The members found for one of the owners, in the order of the request.
    ///
    /// If the object is not one of the owners, the access traps.
    public subscript(owner: Owner) -> [Member] {
        guard let place = places[ObjectIdentifier(owner.resolved)] else {
            preconditionFailure(
                "The members of this \(owner.entityName) were not fetched, because it is not among the owners "
                    + "passed to fetchMembers. Pass it there too, or check that the result's owners contain it."
            )
        }
        return members[place]
    }

    /// The position of the first owner, 0.
    public var startIndex: Int { 0 }

    /// The number of owners.
    public var endIndex: Int { owners.count }

    /// An owner with its members.
    public subscript(position: Int) -> (owner: Owner, members: [Member]) {
        (owners[position], members[position])
    }
}
