import HowdahMigration
import HowdahModel
import HowdahSchema
import HowdahTesting
import PQClient

extension MigrationTrial {
    /// The words without which the migration is refused, as the refusal gives them; with what is wrong with them.
    ///
    /// Without any, and without each one of them, it is refused and the store stays as it is. Told from what the store
    /// holds: everything is named that has no continuation, and nothing else.
    func missingWords(
        in database: TemporaryDatabase, _ before: StoreContents, limit: Int = 3
    ) throws -> (words: Set<String>, faults: [String]) {
        let catalogue = try Self.catalogue(database)
        let words = try refusedWords(in: database, confirming: options.confirmedDrops)
        var faults = try Self.catalogue(database).differences(from: catalogue)
        for word in words.sorted().prefix(limit) {
            let rest = words.subtracting([word])
            let again = try refusedWords(in: database, confirming: options.confirmedDrops.union(rest))
            if again != [word] { faults.append("without \(word) it asks for \(again.sorted())") }
        }
        let all = words.union(options.confirmedDrops)
        let lost = lostPlaces(before)
        for places in lost where all.isDisjoint(with: places) {
            faults.append("\(places) is lost without a word")
        }
        let known = Set(lost.flatMap { $0 })
        for word in words where !known.contains(word) {
            faults.append("\(word) is asked for, and nothing of it is lost")
        }
        return (words, faults)
    }

    private func refusedWords(
        in database: TemporaryDatabase, confirming names: Set<String>
    ) throws -> Set<String> {
        let connection = try Connection(ConnectionConfiguration(database.url))
        defer { connection.close() }
        var options = options
        options.confirmedDrops = names
        return Set(
            try StoreMigration(connection, to: new, options: options).refusal()?.refusals.map(\.confirmation)
                ?? [])
    }

    /// What objects hold and no part of the later model continues, each by all the names that may give it up.
    private func lostPlaces(_ before: StoreContents) -> Set<Set<String>> {
        let pairing = ModelPairing(from: old, to: new)
        let schema = try? StoreSchema(old)
        var result: Set<Set<String>> = []
        for object in before.objects.values {
            guard let target = pairing.target(ofEntity: object.entity) else {
                result.insert([object.entity])
                continue
            }
            let now = new.properties(of: target).filter { $0.attribute?.isStored ?? true }.map(\.name)
            let sources = Set(now.compactMap { pairing.source(of: $0, in: target)?.name })
            for property in old.properties(of: object.entity) where !sources.contains(property.name) {
                guard let owner = old.declaration(of: property.name, in: object.entity)?.entity.name else {
                    continue
                }
                let place = "\(owner).\(property.name)"
                if let attribute = property.attribute {
                    let value = object.values[property.name]
                    if attribute.derivationExpression == nil, value?.isNothing == false {
                        result.insert([place])
                    }
                } else if let relationship = property.relationship,
                    object.links[property.name]?.isEmpty == false
                {
                    guard let places = names(of: relationship, of: target, at: place, schema, pairing) else {
                        continue
                    }
                    result.insert(places)
                }
            }
            for (name, value) in object.values {
                let now = new.properties(of: target).first {
                    pairing.source(of: $0.name, in: target)?.name == name
                }
                guard case .composite(let values) = value,
                    let composite = old.property(named: name, of: object.entity)?.attribute?.type.composite,
                    let later = now?.attribute?.type.composite,
                    let owner = old.declaration(of: name, in: object.entity)?.entity.name
                else { continue }
                for (element, value) in zip(composite.elements, values)
                where element.isStored && !value.isNothing
                    && !later.elements.contains(where: {
                        ($0.renamingIdentifier ?? $0.name) == element.name || $0.name == element.name
                    })
                {
                    result.insert(["\(owner).\(name).\(element.name)"])
                }
            }
        }
        return result
    }

    /// Nil if the links go on at their other end, or go with the objects there.
    private func names(
        of relationship: RelationshipDescription, of holder: String, at place: String, _ schema: StoreSchema?,
        _ pairing: ModelPairing
    ) -> Set<String>? {
        let ends = old.descendants(of: relationship.destination).filter { !$0.isAbstract }
        if ends.allSatisfy({ pairing.target(ofEntity: $0.name) == nil }) { return nil }
        guard let inverse = relationship.inverse,
            let owner = old.declaration(of: inverse, in: relationship.destination)?.entity.name
        else { return [place] }
        let goesOn = ends.contains { end in
            guard let target = pairing.target(ofEntity: end.name) else { return false }
            return new.properties(of: target).contains { property in
                // A table of links is filled from either end; a foreign key goes on in its own.
                guard pairing.source(of: property.name, in: target)?.name == inverse,
                    let now = property.relationship,
                    new.descendants(of: now.destination).contains(where: { $0.name == holder })
                else { return false }
                // Of a one-to-one, either end may have the column.
                if case .toOne? = schema?.entities[end.name]?.property(named: inverse)?.mapping {
                    return true
                }
                if relationship.isToMany,
                    old.property(named: inverse, of: end.name)?.relationship?.isToMany == false
                {
                    return true
                }
                let relationship = now
                if !relationship.isToMany { return false }
                let other = relationship.inverse.flatMap {
                    new.property(named: $0, of: relationship.destination)?.relationship
                }
                return other?.isToMany ?? true
            }
        }
        return goesOn ? nil : [place, "\(owner).\(inverse)"]
    }
}

extension Value {
    fileprivate var isNothing: Bool {
        if case .composite(let values) = self { return values.allSatisfy(\.isNothing) }
        return isNull
    }
}
