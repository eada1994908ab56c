extension ModelMending {
    /// The most columns that PostgreSQL has in one index.
    private static let mostColumns = 32

    /// Indexes change how fast a store answers, and never what; so what they cannot have is left out.
    mutating func mendIndexes(ofEntityAt position: Int, _ model: ManagedObjectModel) {
        let entity = entities[position]
        var taken: Set<String> = []
        entities[position].fetchIndexes = entity.fetchIndexes.compactMap { index in
            var index = index
            if !taken.insert(index.name).inserted {
                var number = 2
                while !taken.insert("\(index.name)_\(number)").inserted { number += 1 }
                note(
                    "The entity has two indexes named \(index.name). This one is now \(index.name)_\(number). "
                        + "Rename one of the two indexes in the model.", entity.name)
                index.name += "_\(number)"
            }
            var columns = 0
            let isAlone = index.elements.count == 1
            var obstacles: [(keyPath: String, reason: String)] = []
            index.elements.removeAll { element in
                guard let keyPath = element.keyPath else { return false }
                let (count, obstacle) = Self.columns(of: keyPath, in: entity.name, isAlone: isAlone, model)
                columns += count
                let isTooWide = columns > Self.mostColumns
                guard
                    let obstacle = isTooWide
                        ? "would exceed the maximum of \(Self.mostColumns) columns in an index" : obstacle
                else {
                    return false
                }
                if !obstacles.contains(where: { $0.keyPath == keyPath }) {
                    obstacles.append((keyPath, obstacle))
                }
                return true
            }
            if index.elements.isEmpty {
                let reasons = obstacles.map { "\($0.keyPath) \($0.reason)" }.joined(separator: "; ")
                note(
                    "The index \(index.name) is ignored: \(reasons). Correct or remove the index.",
                    entity.name)
                return nil
            }
            if let (keyPath, obstacle) = obstacles.first {
                // One warning for an index, however many of its columns it loses.
                let more = obstacles.count - 1
                let rest = obstacles.dropFirst().map(\.keyPath).joined(separator: ", ")
                let others = more == 0 ? "" : " and \(more) more (\(rest))"
                note(
                    "The index \(index.name) omits \(keyPath)\(others). \(keyPath) \(obstacle). Correct the "
                        + "index, or remove \(more == 0 ? keyPath : "these elements") from the index.",
                    entity.name)
            }
            mendPredicate(of: &index, entity.name, model)
            return index
        }
    }

    private mutating func mendPredicate(
        of index: inout FetchIndexDescription, _ entity: String, _ model: ManagedObjectModel
    ) {
        guard let format = index.partialIndexPredicate else { return }
        do throws(IndexPredicate.Refusal) {
            _ = try IndexPredicate(format) { model.indexPredicateColumn($0, of: entity) }.condition()
        } catch {
            note(
                "The index \(index.name) covers all objects, because its predicate cannot be part of an index: "
                    + "\(error.text) Simplify or remove the predicate.",
                entity)
            index.partialIndexPredicate = nil
        }
    }

    /// How many columns an element has, or why it has none.
    private static func columns(
        of keyPath: String, in entity: String, isAlone: Bool, _ model: ManagedObjectModel
    ) -> (count: Int, obstacle: String?) {
        let names = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let found = names.first.flatMap({ model.declaration(of: $0, in: entity) }) else {
            return (0, "is not a property of the entity")
        }
        switch found.property.kind {
        case .attribute(var attribute):
            for name in names.dropFirst() {
                guard let element = attribute.type.composite?.elements.first(where: { $0.name == name })
                else {
                    return (0, "is not an element of the attribute")
                }
                attribute = element
            }
            if !attribute.isStored { return (0, "is not stored") }
            return (AttributeLeaf.leaves(of: attribute, column: "").count, nil)
        case .relationship(let relationship):
            if names.count > 1 { return (0, "refers to another entity") }
            if relationship.isTransient { return (0, "is not stored") }
            let inverse = relationship.inverse.flatMap {
                model.declaration(of: $0, in: relationship.destination)
            }
            let pair = RelationshipPair(
                key: PropertyKey(entity: found.entity.name, name: relationship.name),
                relationship: relationship,
                inverseKey: inverse.map { PropertyKey(entity: $0.entity.name, name: $0.property.name) },
                inverse: inverse?.property.relationship)
            let isKept =
                pair.storage == .ownColumn
                || (isAlone && pair.storage == .inverseColumn && !relationship.isToMany)
            return isKept ? (1, nil) : (0, "has no column in the entity's table")
        }
    }
}
