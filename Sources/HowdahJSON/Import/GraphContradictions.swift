import HowdahModel
import HowdahRuntime

/// Finds relationships with both ends in a document that do not refer to each other.
struct GraphContradictions {
    private let links: [GraphApplication.ResolvedLink]
    private let matching: GraphMatching

    private struct End: Hashable {
        let object: Value
        let slot: Int
    }

    init(_ links: [GraphApplication.ResolvedLink], _ matching: GraphMatching) {
        self.links = links
        self.matching = matching
    }

    /// - Throws: `GraphError.contradiction` with the place of the later one.
    func check(_ layouts: [EntityLayout]) throws {
        var stated: [End: Set<Value>] = [:]
        for link in links {
            stated[end(link)] = Set(link.handles.map(\.identity))
        }
        var owners: [End: Value] = [:]
        for link in links {
            let entity = matching.entities[link.owner]
            let relationship = entity.relationship(link.slot)
            guard let inverse = relationship.inverse else { continue }
            let owner = end(link).object
            let destination = layouts[relationship.destination]
            let name = "\(destination.name).\(destination.slots[inverse].name)"
            for (position, handle) in link.handles.enumerated() {
                let other = End(object: handle.identity, slot: inverse)
                let place = relationship.isToMany ? link.place.element(position) : link.place
                func error(_ message: String) -> GraphError {
                    GraphError(
                        .contradiction, message, at: place, entity: entity, property: relationship.name)
                }
                if let back = stated[other], !back.contains(owner) {
                    throw error(
                        "The document contradicts itself: the destination names another object in \(name). "
                            + "Make the two relationships agree, or leave one of them out."
                    )
                }
                guard !relationship.inverseIsToMany else { continue }
                if let taken = owners.updateValue(owner, forKey: other), taken != owner {
                    throw error(
                        "Two objects of the document refer to the same \(destination.name), but \(name) can "
                            + "refer to only one. Leave the reference out of one of the two objects."
                    )
                }
            }
        }
    }

    private func end(_ link: GraphApplication.ResolvedLink) -> End {
        End(object: matching.handle(of: link.owner).identity, slot: link.slot)
    }
}
