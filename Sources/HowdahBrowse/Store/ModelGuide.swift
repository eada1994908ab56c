import HowdahModel

/// The questions of the pages about a model.
struct ModelGuide: Sendable {
    let model: ManagedObjectModel
    /// The entities in the order of their tree, with their depth.
    let tree: [(entity: EntityDescription, depth: Int)]

    init(model: ManagedObjectModel) {
        self.model = model
        tree = Self.tree(of: model)
    }

    private static let usualLabels = ["name", "title", "label", "subject", "username", "email", "text"]

    /// Returns an entity.
    ///
    /// - Throws: `BrowseError` if the model has none of that name.
    func entity(_ name: String) throws -> EntityDescription {
        guard let entity = model.entitiesByName[name] else { throw BrowseError.noEntity(name) }
        return entity
    }

    /// The stored attributes of an entity, inherited ones first.
    func attributes(of entity: String) -> [AttributeDescription] {
        model.properties(of: entity).compactMap(\.attribute).filter(\.isStored)
    }

    /// The stored relationships of an entity, inherited ones first.
    func relationships(of entity: String) -> [RelationshipDescription] {
        model.properties(of: entity).compactMap(\.relationship).filter { !$0.isTransient }
    }

    func toOnes(of entity: String) -> [RelationshipDescription] {
        relationships(of: entity).filter { !$0.isToMany }
    }

    func toManys(of entity: String) -> [RelationshipDescription] {
        relationships(of: entity).filter(\.isToMany)
    }

    /// The names of everything that a table of objects can show.
    func columns(of entity: String) -> [String] {
        attributes(of: entity).map(\.name) + toOnes(of: entity).map(\.name)
    }

    /// Returns the columns of a table that are shown if it has more than a number: the label, those of the filter and the order,
    /// required attributes, to-ones, and others.
    ///
    /// - Parameter used: The columns that the filter and the order name.
    func mainColumns(
        of entity: String, _ count: Int, used: @autoclosure () -> [String]
    ) -> [String] {
        let all = columns(of: entity)
        guard all.count > count else { return all }
        let required = attributes(of: entity).filter { !$0.isOptional && $0.type.kind != .binary }.map(\.name)
        let ranked =
            [label(of: entity)].compactMap(\.self) + used().filter(all.contains) + required
            + toOnes(of: entity).map(\.name) + all
        var chosen: [String] = []
        for name in ranked where chosen.count < count && !chosen.contains(name) { chosen.append(name) }
        return chosen
    }

    /// Returns the first of several columns, as many as one statement can read: PostgreSQL selects 1,664 expressions, and a
    /// value has up to two.
    func readable(_ columns: [String], of entity: String) -> [String] {
        var left = 500
        return Array(
            columns.prefix { column in
                left -= attribute(at: column, of: entity).map { Self.valueCount($0.type) } ?? 1
                return left >= 0
            })
    }

    private static func valueCount(_ type: AttributeType) -> Int {
        type.composite.map { $0.elements.reduce(0) { $0 + valueCount($1.type) } } ?? 1
    }

    /// Returns the key path by which a column sorts: a to-one relationship sorts by the label of its destination.
    func sortPath(_ column: String, of entity: String) -> String {
        guard let relationship = model.property(named: column, of: entity)?.relationship,
            let label = label(of: relationship.destination)
        else { return column }
        return "\(column).\(label)"
    }

    /// The attribute at the end of a key path; nil if there is none.
    func attribute(at path: String, of entity: String) -> AttributeDescription? {
        var owner = entity
        for name in path.split(separator: ".").map(String.init) {
            guard let property = model.property(named: name, of: owner) else { return nil }
            if let attribute = property.attribute { return attribute }
            owner = property.relationship?.destination ?? owner
        }
        return nil
    }

    /// The attribute whose value labels an object; nil if only its key does.
    func label(of entity: String) -> String? {
        let attributes = attributes(of: entity).filter { !isSensitive($0) }
        func named(_ name: String) -> String? { attributes.first { $0.name == name }?.name }
        for ancestor in model.lineage(of: entity) {
            if let name = ancestor.userInfo[MappingKey.label].flatMap(named) { return name }
        }
        let texts = attributes.filter { $0.type == .string }.map(\.name)
        let keys = model.lineage(of: entity).flatMap(\.uniquenessConstraints).filter { $0.count == 1 }
        if let key = keys.first(where: { texts.contains($0[0]) }) { return key[0] }
        return Self.usualLabels.first { texts.contains($0) }
            ?? texts.first { name in ["Title", "Name"].contains { name.hasSuffix($0) } }
    }

    /// Indicates whether a key path ends at a masked attribute, or passes through one.
    func isSensitive(_ path: String, of entity: String) -> Bool {
        var owner = entity
        for name in path.split(separator: ".").map(String.init) {
            guard let property = model.property(named: name, of: owner) else { return false }
            if let attribute = property.attribute { return isSensitive(attribute) }
            if property.userInfo[MappingKey.sensitive] != nil { return true }
            owner = property.relationship?.destination ?? owner
        }
        return false
    }

    /// A composite is masked if any of its elements is.
    private func isSensitive(_ attribute: AttributeDescription) -> Bool {
        if let composite = attribute.type.composite, composite.elements.contains(where: isSensitive) {
            return true
        }
        guard let mark = attribute.userInfo[MappingKey.sensitive] else { return false }
        return !["false", "no", "0"].contains(mark.lowercased())
    }

    private static func tree(of model: ManagedObjectModel) -> [(entity: EntityDescription, depth: Int)] {
        func branch(_ entity: EntityDescription, _ depth: Int) -> [(EntityDescription, Int)] {
            [(entity, depth)]
                + model.subentities(of: entity.name).sorted { $0.name < $1.name }.flatMap {
                    branch($0, depth + 1)
                }
        }
        return model.roots.sorted { $0.name < $1.name }.flatMap { branch($0, 0) }
    }
}
