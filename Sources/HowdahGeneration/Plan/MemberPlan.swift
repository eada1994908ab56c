internal import HowdahModel

/// One property of a class, or one element of a composite, with its name and type in code.
struct MemberPlan {
    enum Shape {
        /// The type is written out, Optional or not.
        case attribute(AttributeDescription, type: String)
        /// An attribute of a type that Swift has no values of; part of the model, not of the class.
        case unsupported(AttributeDescription)
        case toOne(RelationshipDescription, destination: String)
        case toMany(RelationshipDescription, destination: String)
    }

    /// The property's name in the model.
    let key: String
    /// The identifier in code, without backticks.
    let name: String
    let slot: Int
    let shape: Shape
    /// The composite that the value is of, where there is one.
    var composite: String?

    var spelling: String { name.spelling }
    var field: String { "__\(name)" }

    /// The type in code; nil where there is no property.
    var type: String? {
        switch shape {
        case .attribute(_, let type): type
        case .unsupported: nil
        case .toOne(_, let destination): "\(destination.spelling)?"
        case .toMany(let relationship, let destination):
            "Howdah.\(relationship.isOrdered ? "OrderedToMany" : "ToMany")<\(destination.spelling)>"
        }
    }

    var attribute: AttributeDescription? {
        switch shape {
        case .attribute(let attribute, _), .unsupported(let attribute): attribute
        case .toOne, .toMany: nil
        }
    }

    /// Whether rows hold a value of it.
    var isStored: Bool { type != nil && attribute?.isStored ?? true }
}

extension AttributeDescription {
    /// The Swift type that the model names for a Transformable attribute; nil where it names none.
    var declaredType: String? { type == .transformable ? userInfo[MappingKey.type] : nil }
}

extension AttributeType {
    /// The Swift type of values; nil where there is none, and for composites, which have types of their own.
    var swiftType: String? {
        switch kind {
        case .undefined, .composite: nil
        case .array(let element): element.swiftType.map { "[\($0)]" }
        case .integer16: "Swift.Int16"
        case .integer32: "Swift.Int32"
        case .integer64: "Swift.Int64"
        case .decimal: "Foundation.Decimal"
        case .double: "Swift.Double"
        case .float: "Swift.Float"
        case .string: "Swift.String"
        case .boolean: "Swift.Bool"
        case .date: "Foundation.Date"
        case .binary, .transformable: "Foundation.Data"
        case .uuid: "Foundation.UUID"
        case .uri: "Foundation.URL"
        }
    }
}
