package import HowdahModel

/// Whether a program of one model can go on with a store that has another one: everything that it reads and writes is
/// there and stored as it knows it, and what is there besides can do without it.
///
/// A pure function of the two models and the schema's name.
package struct StoreCompatibility {
    /// The obstacles in words; empty if the program can use the store.
    package var obstacles: [String] { found.map(\.message) }

    /// An obstacle, and the entity or property that has it; a nil name stands for a table.
    package struct Obstacle: Hashable, Sendable {
        package let name: String?
        package let message: String
    }

    /// The obstacles, each with its name.
    package private(set) var found: [Obstacle] = []

    private let program: ManagedObjectModel
    private let stored: ManagedObjectModel

    /// Compares the model that a program has with the one that the store has.
    package init(of program: ManagedObjectModel, with stored: ManagedObjectModel, schemaName: String) {
        self.program = program
        self.stored = stored
        compareEntities()
        guard found.isEmpty else { return }
        guard let known = try? StoreSchema(program, schemaName: schemaName),
            let present = try? StoreSchema(stored, schemaName: schemaName)
        else {
            add(nil, "one of the models cannot be stored in tables")
            return
        }
        for table in known.tables { compare(table, present.table(named: table.name)) }
    }

    private mutating func add(_ name: String?, _ message: String) {
        found.append(Obstacle(name: name, message: message))
    }

    private mutating func compareEntities() {
        let pairing = ModelPairing(from: program, to: stored)
        for entity in program.entities {
            guard let now = stored[entity.name] else {
                add(entity.name, "\(entity.name) is missing in the store")
                continue
            }
            let details = EntityChanges.details(
                entity.withoutVersionTrigger, now.withoutVersionTrigger, pairing
            ).filter { !$0.hasPrefix("index ") }
            if !details.isEmpty { add(entity.name, "\(entity.name): \(details.joined(separator: ", "))") }
            for property in entity.properties where property.isStored {
                compare(property, now.properties.first { $0.name == property.name }, of: entity.name, pairing)
            }
            let known = Set(entity.properties.filter(\.isStored).map(\.name))
            for property in now.properties where property.isStored && !known.contains(property.name) {
                guard let demand = property.demand else { continue }
                let place = "\(entity.name).\(property.name)"
                add(place, "\(place) is not in the program's model and \(demand)")
            }
        }
        // Rows of entities that the program does not know would be among those that it does.
        for entity in stored.entities where program[entity.name] == nil {
            guard let parent = entity.superentity, program[parent] != nil else { continue }
            add(
                entity.name, "\(entity.name) is a subentity of \(parent) that is not in the program's model")
        }
    }

    private mutating func compare(
        _ property: PropertyDescription, _ now: PropertyDescription?, of entity: String,
        _ pairing: ModelPairing
    ) {
        let place = "\(entity).\(property.name)"
        guard let now, now.isStored else {
            add(place, "\(place) is missing in the store")
            return
        }
        var details = PropertyChanges.details(property, now, pairing).filter { $0 != "default" }
        if let mine = property.attribute, let theirs = now.attribute, mine.isWithinRules(of: theirs) {
            details.removeAll { $0 == "validation" }
        }
        if let type = property.attribute?.type, type.composite != nil, type != now.attribute?.type {
            details.append("elements")
        }
        if !details.isEmpty { add(place, "\(place): \(details.joined(separator: ", "))") }
    }

    /// What models do not say, such as where another entity's column has got a name.
    private mutating func compare(_ table: StoreSchema.Table, _ now: StoreSchema.Table?) {
        guard let now, now.primaryKey == table.primaryKey else {
            add(nil, "the table \(table.name) is missing in the store or has another key")
            return
        }
        for column in table.columns {
            guard let present = now.column(column.name), present.type == column.type,
                present.isNullable == column.isNullable, present.generation == column.generation
            else {
                add(
                    nil,
                    "the column \(column.name) of the table \(table.name) is missing in the store or differs")
                continue
            }
        }
        for column in now.columns where table.column(column.name) == nil {
            let isSupplied =
                column.isNullable || column.defaultValue != nil || column.isIDSequenceDefault
                || column.generation != nil
            if !isSupplied {
                add(
                    nil,
                    "the column \(column.name) of the table \(table.name) is only in the store and needs a value"
                )
            }
        }
        let uniques = { (table: StoreSchema.Table) in Set(table.uniques.map { [$0.columns, [$0.name]] }) }
        if uniques(table) != uniques(now) {
            add(nil, "the table \(table.name) has different uniqueness constraints")
        }
    }
}

extension EntityDescription {
    /// The entity without a trigger for other programs. Saves write alike with it and without.
    fileprivate var withoutVersionTrigger: EntityDescription {
        var entity = self
        entity.userInfo[MappingKey.versionTrigger] = nil
        return entity
    }
}

extension AttributeDescription {
    /// Indicates whether each value that fits the rules of this attribute fits those of another.
    package func isWithinRules(of other: AttributeDescription) -> Bool {
        let allowed = Set(other.allowedValues.map(\.normalized))
        let isChosen =
            allowed.isEmpty
            || !allowedValues.isEmpty && allowedValues.allSatisfy { allowed.contains($0.normalized) }
        return isChosen && regex == other.regex
            && Self.isBelow(maximum, other.maximum) { !$0.isGreater(than: $1) }
            && Self.isBelow(minimum, other.minimum) { !$1.isGreater(than: $0) }
            && Self.isBelow(maximumLength, other.maximumLength, by: <=)
            && Self.isBelow(minimumLength, other.minimumLength, by: >=)
    }

    private static func isBelow<T>(_ bound: T?, _ other: T?, by isWithin: (T, T) -> Bool) -> Bool {
        guard let other else { return true }
        return bound.map { isWithin($0, other) } ?? false
    }

    /// The values that another version allows besides those of this one.
    package func newValues(in other: AttributeDescription) -> [Value] {
        if allowedValues.isEmpty { return [] }
        let known = Set(allowedValues.map(\.normalized))
        return other.allowedValues.filter { !known.contains($0.normalized) }
    }
}

extension PropertyDescription {
    fileprivate var isStored: Bool {
        switch kind {
        case .attribute(let attribute): attribute.isStored
        case .relationship(let relationship): !relationship.isTransient
        }
    }

    /// What a new property asks of whoever writes its object; nil where it can do without.
    fileprivate var demand: String? {
        switch kind {
        case .attribute(let attribute):
            switch attribute.derivation?.kind {
            case .count, .sum, .now: "must be computed by each program that saves"
            // The server computes what is of the same row.
            case .copy(let path), .canonical(let path), .uppercase(let path), .lowercase(let path):
                path.count > 1 ? "may have to be computed by each program that saves" : nil
            case nil:
                attribute.isOptional || attribute.defaultValue != nil ? nil : "is required without a default"
            }
        case .relationship(let relationship):
            relationship.isOptional || relationship.isToMany && relationship.minCount == 0
                ? nil : "is required"
        }
    }
}
