import HowdahModel

/// Turns the elements of a model file into a model, and notes what has no place in one.
///
/// Every element and attribute is looked up in ``Vocabulary`` first, so that none is dropped in silence.
struct ModelReader {
    private(set) var warnings: [ModelFileWarning] = []
    /// What is malformed; reading goes on behind it, so that everything is told at once.
    private var defects: [ModelFileDefect] = []
    private var told: Set<ModelFileDefect> = []
    /// The names of what could not be read, which is then missed elsewhere.
    private var unread: Set<String> = []
    /// The lines of entities and properties.
    var lines: [String: Int] = [:]
    private var composites: [String: ModelElement] = [:]
    /// The composite types that are being read, to find one that contains itself.
    private var openComposites: [String] = []
    /// How many elements composite types have come to, where they stand for attributes.
    private var expandedElements = 0
    private static let mostExpandedElements = 100_000

    /// - Throws: ``ModelFileError`` with `malformed` or `invalidModel`.
    mutating func model(of root: ModelElement) throws(ModelFileError) -> ManagedObjectModel {
        guard root.name == "model" else {
            throw ModelFileError(
                .malformed,
                "The file is not a model: it begins with <\(root.name.prefix(60))> instead of <model>. Use "
                    + "an .xcdatamodel or the file named contents in it.",
                line: root.line)
        }
        if let fault = root.fault { defects.append(fault) }
        checkVocabulary(of: root, parent: nil)
        for composite in root.children(named: "composite") {
            guard let name = requiredName(of: composite) else { continue }
            if composites[name] == nil {
                composites[name] = composite
            } else {
                fault(
                    "The model has two composite types named \"\(name)\". Rename one of the types.", composite
                )
            }
        }
        var entities: [EntityDescription] = []
        for element in root.children(named: "entity") {
            if let entity = try entity(element) { entities.append(entity) }
        }
        try checkDepth(of: entities)
        var configurations: [String: [String]] = [:]
        for element in root.children(named: "configuration") {
            let members = element.children(named: "memberEntity").compactMap { $0.text("name") }
            guard let name = requiredName(of: element) else { continue }
            if configurations[name] != nil {
                fault(
                    "The model has two configurations named \"\(name)\". Rename one of the configurations.",
                    element)
            }
            configurations[name, default: []] += members
        }
        let templates = fetchRequestTemplates(of: root)
        let model: ManagedObjectModel
        do {
            var mending = ModelMending(
                entities, configurations: configurations, fetchRequestTemplates: templates)
            defer { warn(of: mending.notes) }
            model = try mending.model(versionIdentifier: root.text("userDefinedModelVersionIdentifier"))
        } catch {
            throw failure(error.issues)
        }
        guard defects.isEmpty else { throw failure([]) }
        return model
    }

    /// The most superentities that an entity has, one above the other: each costs all entities below it.
    private static let mostSuperentities = 200

    private func checkDepth(of entities: [EntityDescription]) throws(ModelFileError) {
        let parents = Dictionary(
            entities.map { ($0.name, $0.superentity) }, uniquingKeysWith: { first, _ in first })
        var depths: [String: Int] = [:]
        for entity in entities {
            var (way, name) = ([String](), Optional(entity.name))
            while let next = name, depths[next] == nil, way.count <= Self.mostSuperentities {
                way.append(next)
                name = parents[next] ?? nil
            }
            var depth = name.flatMap { depths[$0] } ?? 0
            for name in way.reversed() {
                depth += 1
                depths[name] = depth
            }
            // A circle is told with what else contradicts itself.
            guard depth > Self.mostSuperentities, Set(way).count == way.count else { continue }
            throw ModelFileError(
                .tooLarge,
                "The entity \(entity.name.prefix(60)) has more than \(Self.mostSuperentities) levels of "
                    + "superentities. Remove some levels.", line: lines[entity.name])
        }
    }

    /// What follows from nothing but a fault is left out: a property that could not be read is missed elsewhere.
    private func failure(_ issues: [ModelIssue]) -> ModelFileError {
        guard !defects.isEmpty else {
            let error = ModelError(.invalidModel, issues: issues)
            return ModelFileError(.invalidModel, error.message, issues: issues, warnings: warnings)
        }
        let certain = issues.filter { !follows($0.message, $0.propertyName) }
        return ModelFileError(
            defects: defects.sorted { $0.line < $1.line }, issues: certain, warnings: warnings)
    }

    /// Indicates whether a message about a property follows from a fault.
    private func follows(_ message: String, _ property: String?) -> Bool {
        let words = message.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
        return !unread.isDisjoint(with: words + [property].compactMap(\.self))
    }

    mutating func fault(_ message: String, _ element: ModelElement) {
        let fault = ModelFileDefect(line: element.line, message: message)
        // An element of a composite type is read for each attribute of the type.
        if told.insert(fault).inserted { defects.append(fault) }
        if let name = element.text("name") { unread.insert(name) }
    }

    mutating func warn(
        _ message: String, _ element: ModelElement? = nil, entity: String? = nil, property: String? = nil
    ) {
        warnings.append(
            ModelFileWarning(
                entityName: entity, propertyName: property, line: element?.line, message: message))
    }

    private mutating func warn(of notes: [ModelMending.Note]) {
        for note in notes where !follows(note.message, note.property) {
            let place = [note.entity, note.property].compactMap { $0 }.joined(separator: ".")
            warnings.append(
                ModelFileWarning(
                    entityName: note.entity, propertyName: note.property, line: lines[place],
                    message: note.message))
        }
    }

    mutating func requiredName(of element: ModelElement) -> String? {
        if let name = element.text("name") { return name }
        fault("This <\(element.name)> has no name. Add a name.", element)
        return nil
    }

    /// The elements of a composite type by its name; nil where there is none, which is a fault.
    ///
    /// - Throws: `tooLarge`.
    mutating func composite(
        named name: String?, at element: ModelElement
    ) throws(ModelFileError) -> CompositeDescription? {
        guard let name else {
            fault("The composite attribute names no composite type. Choose a composite type.", element)
            return nil
        }
        guard let definition = composites[name] else {
            fault(
                "The composite type \"\(name)\" is not in the model. Add the composite type, or choose another one "
                    + "for the attribute.", element)
            return nil
        }
        guard !openComposites.contains(name) else {
            fault(
                "The composite type \(name) contains itself through "
                    + "\(openComposites.joined(separator: ", ")). Remove one of these attributes.", definition
            )
            return nil
        }
        openComposites.append(name)
        defer { openComposites.removeLast() }
        var elements: [AttributeDescription] = []
        for child in definition.children(named: "attribute") {
            // Types of types of types: a small file could ask for more than there is memory.
            expandedElements += 1
            guard expandedElements <= Self.mostExpandedElements else {
                throw ModelFileError(
                    .tooLarge,
                    "The composite types expand to more than \(Self.mostExpandedElements) elements through "
                        + "\(openComposites.joined(separator: ", ")). Nest fewer composite types.",
                    line: definition.line)
            }
            if let attribute = try attribute(child, in: name) { elements.append(attribute) }
        }
        return CompositeDescription(name, elements)
    }

    func userInfo(of element: ModelElement) -> [String: String] {
        var result: [String: String] = [:]
        for entry in element.children(named: "userInfo").flatMap({ $0.children(named: "entry") }) {
            if let key = entry["key"] { result[key] = entry["value"] ?? "" }
        }
        return result
    }

    /// Warns of everything that this reader would not look at.
    private mutating func checkVocabulary(of element: ModelElement, parent: ModelElement?) {
        let known = Vocabulary.attributes[element.name] ?? []
        for attribute in element.attributes.keys.sorted()
        where !known.contains(attribute) && !attribute.hasPrefix("xmlns") {
            warn(
                "The attribute \(attribute) of <\(element.name)> is unknown and has no effect. Correct the name, or "
                    + "ignore this warning if Xcode wrote the attribute.", element)
        }
        for attribute in element.attributes.keys.sorted() {
            guard let values = Vocabulary.values[attribute], let text = element.text(attribute),
                !values.contains(text)
            else { continue }
            warn(
                "\"\(text.prefix(40))\" is not a value of \(attribute), so it is read as "
                    + "\(Vocabulary.flags.contains(attribute) ? "NO" : "none"). Use one of "
                    + "\(values.sorted().joined(separator: ", ")).", element)
        }
        if element.name == "uniquenessConstraint", element.children.isEmpty {
            warn(
                "The uniqueness constraint has no properties and is ignored. Add a property, or remove the constraint.",
                element)
        }
        if let stray = element.strayText {
            warnings.append(
                ModelFileWarning(
                    entityName: nil, propertyName: nil, line: stray.line,
                    message: "The text \"\(stray.text)\" in <\(element.name)> has no effect. Remove the text."
                ))
        }
        for child in element.children {
            if Vocabulary.children[element.name]?.contains(child.name) == true {
                checkVocabulary(of: child, parent: element)
            } else {
                warn(
                    "The element <\(child.name)> in <\(element.name)> is unknown and has no effect. Correct the name, "
                        + "or ignore this warning if Xcode wrote the element.", child)
            }
        }
    }
}
