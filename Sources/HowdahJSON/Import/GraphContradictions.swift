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
                        "The object there contradicts this with its \(name). Leave one of the two out, or make them agree."
                    )
                }
                guard !relationship.inverseIsToMany else { continue }
                if let taken = owners.updateValue(owner, forKey: other), taken != owner {
                    throw error(
                        "Another object of the document has the same one, but \(name) refers to only one. Leave it out there or here."
                    )
                }
            }
        }
    }

    private func end(_ link: GraphApplication.ResolvedLink) -> End {
        End(object: matching.handle(of: link.owner).identity, slot: link.slot)
    }
}
