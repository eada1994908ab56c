import HowdahModel

/// What stands where in canonical JSON.
indirect enum JSONShape: Sendable {
    case text, flag, integer
    /// One of these texts; what they name.
    case word(Set<String>, String)
    case list(JSONShape)
    /// An object with keys of its author's.
    case map(JSONShape)
    case object([String: Key])
    /// An object with exactly one of these keys.
    case choice([String: JSONShape], String)
    /// A type's name, or an object for a composite or an array.
    case type
    /// A value inside a value, and an element of a composite type: shapes that contain themselves.
    case nestedValue, element

    /// A key of an object.
    struct Key: Sendable {
        let shape: JSONShape
        var isRequired = false
    }

    /// For messages.
    var name: String {
        switch self {
        case .text, .word: "a string"
        case .flag: "a Boolean"
        case .integer: "an integer"
        case .list: "an array"
        case .map, .object, .choice, .nestedValue, .element: "an object"
        case .type: "a type"
        }
    }

    static let model = Self.object([
        "format": Key(shape: .integer, isRequired: true),
        "entities": Key(shape: .list(entity), isRequired: true),
        "configurations": Key(shape: .map(.list(.text))),
        "fetchRequestTemplates": Key(shape: .map(template)), "versionIdentifier": Key(shape: .text),
    ])

    private static let named: [String: Key] = [
        "name": Key(shape: .text, isRequired: true), "userInfo": Key(shape: .map(.text)),
        "renamingIdentifier": Key(shape: .text), "versionHashModifier": Key(shape: .text),
    ]

    private static func object(named others: [String: Key]) -> Self {
        .object(named.merging(others) { $1 })
    }

    private static let entity = object(named: [
        "className": Key(shape: .text), "isAbstract": Key(shape: .flag), "superentity": Key(shape: .text),
        "properties": Key(
            shape: .list(
                .choice(["attribute": attribute, "relationship": relationship], "the kind of property"))),
        "uniquenessConstraints": Key(shape: .list(.list(.text))), "fetchIndexes": Key(shape: .list(index)),
        "fetchedProperties": Key(
            shape: .list(
                .object([
                    "name": Key(shape: .text, isRequired: true),
                    "fetchRequest": Key(shape: template, isRequired: true),
                    "userInfo": Key(shape: .map(.text)),
                ]))),
    ])

    static let attribute = object(named: [
        "type": Key(shape: .type, isRequired: true), "isOptional": Key(shape: .flag),
        "defaultValue": Key(shape: value), "isTransient": Key(shape: .flag), "minimum": Key(shape: value),
        "maximum": Key(shape: value), "minimumLength": Key(shape: .integer),
        "maximumLength": Key(shape: .integer), "regex": Key(shape: .text),
        "valueTransformerName": Key(shape: .text), "allowsExternalBinaryDataStorage": Key(shape: .flag),
        "valueClassName": Key(shape: .text), "derivationExpression": Key(shape: .text),
        "allowedValues": Key(shape: .list(value)), "preservesValueInHistoryOnDeletion": Key(shape: .flag),
    ])

    private static let relationship = object(named: [
        "destination": Key(shape: .text, isRequired: true), "inverse": Key(shape: .text),
        "minCount": Key(shape: .integer), "maxCount": Key(shape: .integer), "isOrdered": Key(shape: .flag),
        "isOptional": Key(shape: .flag), "isTransient": Key(shape: .flag),
        "deleteRule": Key(shape: .word(Set(DeleteRule.names), "delete rule")),
    ])

    private static let index = Self.object([
        "name": Key(shape: .text, isRequired: true),
        "elements": Key(
            shape: .list(
                .object([
                    "property": Key(shape: .text), "expression": Key(shape: .text),
                    "folding": Key(shape: .word(Set(PredicateTree.Options.foldings.keys), "folding")),
                    "isAscending": Key(shape: .flag),
                ])), isRequired: true),
        "partialIndexPredicate": Key(shape: .text),
        "method": Key(shape: .word(Set(FetchIndexDescription.Method.names), "index method")),
    ])

    private static let template = Self.object([
        "entityName": Key(shape: .text, isRequired: true), "predicateFormat": Key(shape: .text),
        "fetchLimit": Key(shape: .integer), "fetchBatchSize": Key(shape: .integer),
        "resultType": Key(shape: .word(Set(FetchRequestTemplate.ResultType.names), "result type")),
        "includesSubentities": Key(shape: .flag), "includesPropertyValues": Key(shape: .flag),
        "includesPendingChanges": Key(shape: .flag), "returnsObjectsAsFaults": Key(shape: .flag),
        "returnsDistinctResults": Key(shape: .flag),
    ])

    /// The types of a value whose payload is text that is read further when the value is decoded.
    private static let textual = ["double", "float", "decimal", "string", "date", "data", "uuid", "uri"]

    static let value = Self.choice(
        Dictionary(uniqueKeysWithValues: textual.map { ($0, JSONShape.text) }).merging([
            "null": .flag, "bool": .flag, "int": .integer, "composite": .list(.nestedValue),
            "array": .list(.nestedValue),
        ]) { $1 }, "the type of value")

    static let composite = Self.object([
        "name": Key(shape: .text, isRequired: true),
        "elements": Key(shape: .list(.element), isRequired: true),
    ])
}
