import HowdahModel

/// Turns the elements of a model file into a model, and notes what has no place in one.
///
/// Every element and attribute is looked up in ``Vocabulary`` first, so that none is dropped in silence.
struct ModelReader {
    private(set) var warnings: [ModelFileWarning] = []
    private var composites: [String: ModelElement] = [:]
    /// The composite types that are being read, to find one that contains itself.
    private var openComposites: [String] = []
    /// How many elements composite types have come to, where they stand for attributes.
    private var expandedElements = 0

    /// - Throws: ``ModelFileError`` with `malformed` or `invalidModel`.
    mutating func model(of root: ModelElement) throws(ModelFileError) -> ManagedObjectModel {
        guard root.name == "model" else {
            throw ModelFileError(
                .malformed,
                "The file is no model: it begins with <\(root.name.prefix(60))> instead of <model>.",
                line: root.line)
        }
        checkVocabulary(of: root, parent: nil)
        for composite in root.children(named: "composite") {
            let name = try requiredName(of: composite)
            if composites.updateValue(composite, forKey: name) != nil {
                throw ModelFileError(
                    .malformed, "There are two composite types \"\(name)\"; rename one.", line: composite.line
                )
            }
        }
        var entities: [EntityDescription] = []
        for element in root.children(named: "entity") { entities.append(try entity(element)) }
        var configurations: [String: [String]] = [:]
        for element in root.children(named: "configuration") {
            let members = element.children(named: "memberEntity").compactMap { $0.text("name") }
            configurations[try requiredName(of: element), default: []] += members
        }
        var templates: [String: FetchRequestTemplate] = [:]
        for element in root.children(named: "fetchRequest") {
            templates[try requiredName(of: element)] = try fetchRequest(element)
        }
        do {
            return try ManagedObjectModel(
                entities: entities, configurations: configurations, fetchRequestTemplates: templates,
                versionIdentifier: root.text("userDefinedModelVersionIdentifier"))
        } catch {
            throw ModelFileError(.invalidModel, error.message, issues: error.issues)
        }
    }

    mutating func warn(
        _ message: String, _ element: ModelElement? = nil, entity: String? = nil, property: String? = nil
    ) {
        warnings.append(
            ModelFileWarning(entity: entity, property: property, line: element?.line, message: message))
    }

    func requiredName(of element: ModelElement) throws(ModelFileError) -> String {
        guard let name = element.text("name") else {
            throw ModelFileError(
                .malformed, "This <\(element.name)> has no name; give it one.", line: element.line)
        }
        return name
    }

    /// The elements of a composite type by its name.
    mutating func composite(
        named name: String?, at element: ModelElement
    ) throws(ModelFileError) -> CompositeDescription {
        guard let name, let definition = composites[name] else {
            throw ModelFileError(
                .malformed,
                "There is no composite type \"\(name ?? "")\"; add it to the model or correct the attribute.",
                line: element.line)
        }
        guard !openComposites.contains(name) else {
            throw ModelFileError(
                .malformed,
                "The composite type \(name) contains itself by way of \(openComposites.joined(separator: ", ")); "
                    + "remove one of these attributes.", line: definition.line)
        }
        openComposites.append(name)
        defer { openComposites.removeLast() }
        var elements: [AttributeDescription] = []
        for child in definition.children(named: "attribute") {
            // Types of types of types: a small file could ask for more than there is memory.
            expandedElements += 1
            guard expandedElements <= ModelElement.Limit.expandedElements else {
                throw ModelFileError(
                    .tooLarge,
                    "The composite types come to more than \(ModelElement.Limit.expandedElements) elements by way of "
                        + "\(openComposites.joined(separator: ", ")); nest fewer of them.",
                    line: definition.line)
            }
            elements.append(try attribute(child, in: name))
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
            warn("The attribute \(attribute) of <\(element.name)> is unknown and has no effect.", element)
        }
        for child in element.children {
            if Vocabulary.children[element.name]?.contains(child.name) == true {
                checkVocabulary(of: child, parent: element)
            } else {
                warn("<\(child.name)> in <\(element.name)> is unknown and has no effect.", child)
            }
        }
    }
}
