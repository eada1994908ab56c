import Foundation

extension StoreDocument {
    private static let mostObjects = 100_000

    /// Reads a document.
    ///
    /// - Throws: ``ModelFileError`` as ``ModelElement/init(reading:as:)`` does. The one document type that Core Data
    ///   writes is accepted.
    init(reading data: Data) throws(ModelFileError) {
        let root = try ModelElement(reading: data, as: .mappingModel)
        guard root.name == "database" else {
            throw ModelFileError(
                .malformed,
                "The file is not a mapping model: it begins with <\(root.name.prefix(60))> instead of "
                    + "<database>. Use the xcmapping.xml of an .xcmappingmodel.",
                line: 1)
        }
        for element in root.children {
            switch element.name {
            case "object":
                guard objects.count < Self.mostObjects else {
                    throw ModelFileError(
                        .tooLarge,
                        "The file has more than \(Self.mostObjects) objects. Divide the mapping model, or restore the "
                            + "mapping model file from version control.", line: element.line)
                }
                objects.append(object(element))
            case "databaseInfo": break
            default: warn(element)
            }
        }
        if let fault = root.fault { defects.append(fault) }
    }

    private mutating func object(_ element: ModelElement) -> Object {
        var object = Object(type: element["type"] ?? "", id: element["id"] ?? "", line: element.line)
        for child in element.children {
            switch child.name {
            case "attribute":
                let name = child["name"] ?? ""
                let value = Attribute(type: child["type"] ?? "", text: child.content, line: child.line)
                if object.attributes.updateValue(value, forKey: name) != nil {
                    defects.append(
                        ModelFileDefect(
                            line: child.line,
                            message:
                                "An object element has two values of its attribute \(name.prefix(60)). Remove one of them."
                        ))
                }
                child.children.forEach { warnAll($0) }
            case "relationship":
                if let name = child["name"] {
                    object.relationships[name] = (child["idrefs"] ?? "").split(separator: " ").map(
                        String.init)
                }
                child.children.forEach { warnAll($0) }
            default: warnAll(child)
            }
        }
        return object
    }

    /// Warns of an element of an object and of everything in it.
    private mutating func warnAll(_ element: ModelElement) {
        warn(element)
        element.children.forEach { warnAll($0) }
    }

    private mutating func warn(_ element: ModelElement) {
        warnings.append(
            ModelFileWarning(
                entityName: nil, propertyName: nil, line: element.line,
                message:
                    "The element <\(element.name.prefix(60))> is unknown and has no effect. Correct the name, or ignore this "
                    + "warning if Xcode wrote the element."))
    }
}
