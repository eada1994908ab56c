import HowdahModel

/// Models whose names mean something to Swift, to Foundation, to the library, or nothing to anybody.
enum OddNames {
    static let keywords = [
        "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "init",
        "inout",
        "internal", "let", "open", "operator", "private", "precedencegroup", "protocol", "public", "rethrows",
        "static", "struct", "subscript", "typealias", "var", "break", "case", "catch", "continue", "default",
        "defer",
        "do", "else", "fallthrough", "for", "guard", "if", "in", "repeat", "return", "throw", "switch",
        "where",
        "while", "Any", "as", "await", "async", "false", "is", "nil", "super", "throws", "true", "try",
        "Type",
        "Protocol", "get", "set", "willSet", "didSet", "some", "any", "each", "lazy", "weak", "unowned",
        "mutating",
        "override", "required", "final", "convenience", "dynamic", "indirect", "actor", "isolated",
        "nonisolated",
        "consume", "copy", "borrowing", "consuming", "sending", "package", "macro", "then", "yield",
        "discard", "left",
        "right", "none", "optional", "prefix", "postfix", "infix", "associativity", "precedence", "Swift",
        "Howdah",
        "Foundation",
    ]

    /// Local names of generated code, members of managed objects and of what they conform to.
    static let members = [
        "description", "debugDescription", "hash", "hashValue", "entityName", "isDeleted",
        "isFault",
        "isInserted", "isUpdated", "hasChanges", "changedPropertyNames", "managedObjectContext", "willSave",
        "value",
        "setValue", "members", "delete", "context", "row", "slot", "field", "list", "root", "Root",
        "properties",
        "newValue", "layout", "key", "version", "owner", "cohort", "changes", "generic", "elements", "_id",
        "__id",
        "id", "_flags", "_written", "seed", "count", "element0", "rowReader", "predicateIdentityOf", "1st",
        "a b",
        "a-b", "a_b", "größe", "名前", "\u{1F600}", "+", "_", "\"", "\\(x)", "model", "`", "Order", "Data",
        "String",
    ]

    static let entities = [
        "String", "Int", "Bool", "Double", "Float", "Int16", "Int32", "Int64", "Optional", "Array", "Set",
        "Dictionary",
        "Error", "Result", "Void", "Never", "Hashable", "Sendable", "Self", "Any", "AnyObject", "Type",
        "Protocol",
        "Data", "Date", "URL", "UUID", "Decimal", "Order", "User", "Category", "Group", "Value", "ToMany",
        "OrderedToMany",
        "ManagedObject", "ManagedObjectModel", "EntityDescription", "PropertyDescription", "_PropertyKeyPath",
        "_RowReader",
        "_ToOneField", "_ToManyState", "CompositeValue", "FetchRequest", "Howdah", "Swift", "Foundation",
        "Predicate",
        "Codable", "Task", "Actor", "Locale", "Operation", "Entity", "Attribute", "Relationship", "Composite",
        "Key",
        "ObjectID", "PersistentContainer", "ModelError", "AttributeDescription", "class",
        "default", "self", "init", "person", "PERSON", "Person", "my entity", "2nd", "IntegerLiteralType",
        "OddNames",
        "OddNamesModel",
    ]

    /// Every name as an attribute's, a relationship's and an element's, and every type's name as an entity's.
    static func model() throws -> ManagedObjectModel {
        let names = keywords + members
        let composite = CompositeDescription("Date", names.map { AttributeDescription($0, .date) })
        let other = CompositeDescription("Date", [AttributeDescription("x", .uuid, optional: false)])
        let relationships: [PropertyDescription] = names.flatMap { name -> [PropertyDescription] in
            [
                .relationship(name, to: "String", inverse: "\(name)Back"),
                .relationship("\(name)Back", to: "Relationships", inverse: name, toMany: true),
            ]
        }
        return try ManagedObjectModel(
            entities: entities.map { name in
                var properties: [PropertyDescription] = [
                    .attribute("name", .string, optional: false, default: ""),
                    .attribute("when", .composite(composite)), .attribute("which", .composite(other)),
                    .relationship("next", to: "Data"), .relationship("others", to: "Date", toMany: true),
                ]
                if name == "String" {
                    properties += relationships.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
                }
                return EntityDescription(name, properties: properties)
            } + [
                EntityDescription("Attributes", properties: names.map { .attribute($0, .string) }),
                EntityDescription(
                    "Relationships",
                    properties: relationships.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)),
            ])
    }
}
