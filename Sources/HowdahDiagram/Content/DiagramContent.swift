internal import HowdahModel

/// Everything a diagram of a model says, before anything has a place.
struct DiagramContent: Equatable {
    /// One per entity, in the model's order.
    private(set) var boxes: [EntityBox]
    /// First the inheritance, then the relationships, each in the model's order.
    private(set) var connections: [Connection] = []

    init(_ model: ManagedObjectModel) {
        boxes = model.entities.map(EntityBox.init)
        var numbers: [String: Int] = [:]
        for (number, entity) in model.entities.enumerated() { numbers[entity.name] = number }
        for (number, entity) in model.entities.enumerated() {
            guard let superentity = entity.superentity, let parent = numbers[superentity] else { continue }
            connections.append(
                Connection(
                    kind: .inheritance, from: .init(box: number), to: .init(box: parent),
                    summary: "\(entity.name) is a \(superentity)"))
        }
        for (number, entity) in model.entities.enumerated() {
            for relationship in entity.properties.compactMap(\.relationship) {
                add(relationship, of: number, in: model, numbers: numbers)
            }
        }
    }

    /// Returns the boxes of some entities, and the lines between them.
    func limited(to names: Set<String>) -> DiagramContent {
        var part = self
        let kept = boxes.indices.filter { names.contains(boxes[$0].name) }
        let places = Dictionary(uniqueKeysWithValues: zip(kept, 0...))
        part.boxes = kept.map { boxes[$0] }
        part.connections = connections.compactMap { connection in
            guard let from = places[connection.from.box], let to = places[connection.to.box] else {
                return nil
            }
            var moved = connection
            (moved.from.box, moved.to.box) = (from, to)
            return moved
        }
        return part
    }

    private mutating func add(
        _ relationship: RelationshipDescription, of number: Int, in model: ManagedObjectModel,
        numbers: [String: Int]
    ) {
        guard let row = boxes[number].row(ofRelationship: relationship.name) else { return }
        let ownName = "\(boxes[number].name).\(relationship.name)"
        var from = Connection.End(box: number, row: row, cascades: relationship.deleteRule == .cascade)
        let inverse = relationship.inverse.flatMap { model.declaration(of: $0, in: relationship.destination) }
        if let inverse, let other = inverse.property.relationship, let far = numbers[inverse.entity.name],
            let farRow = boxes[far].row(ofRelationship: other.name), (far, farRow) != (number, row)
        {
            // The pair is drawn from the side that the model names first.
            guard (number, row) < (far, farRow) else { return }
            from.cardinality = other.cardinality
            let to = Connection.End(
                box: far, row: farRow, cardinality: relationship.cardinality,
                cascades: other.deleteRule == .cascade)
            let back = "\(inverse.entity.name).\(other.name)"
            connections.append(
                Connection(
                    kind: .relationship, from: from, to: to,
                    summary: "\(ownName): \(relationship.summary); \(back): \(other.summary)"))
            return
        }
        guard let far = numbers[relationship.destination] else { return }
        let isOwnInverse = inverse != nil
        boxes[far].rows.append(BoxRow(kind: .arrival, name: isOwnInverse ? "inverse of itself" : ownName))
        if isOwnInverse { from.cardinality = relationship.cardinality }
        let to = Connection.End(
            box: far, row: boxes[far].rows.count - 1, cardinality: relationship.cardinality)
        connections.append(
            Connection(
                kind: isOwnInverse ? .relationship : .oneWay, from: from, to: to,
                summary: "\(ownName): \(relationship.summary)"
                    + (isOwnInverse ? ", its own inverse" : ", no inverse")))
    }
}

extension RelationshipDescription {
    /// How many destinations there can be, as UML writes it.
    fileprivate var cardinality: String {
        guard isToMany else { return isOptional && minCount == 0 ? "0..1" : "1" }
        let range =
            switch (minCount, maxCount) {
            case (0, 0): "*"
            case (_, 0): "\(minCount)..*"
            default: "\(minCount)..\(maxCount)"
            }
        let mayBeEmpty = isOptional && minCount > 0 ? "0, " : ""
        return mayBeEmpty + (isOrdered ? range + " ordered" : range)
    }

    fileprivate var summary: String {
        "\(cardinality) \(destination), \(deleteRule.diagramName) on delete"
    }
}
