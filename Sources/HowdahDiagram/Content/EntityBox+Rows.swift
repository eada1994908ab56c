internal import HowdahModel

extension EntityBox {
    init(_ entity: EntityDescription) {
        let attributes = entity.properties.compactMap(\.attribute)
        let single = Set(
            entity.uniquenessConstraints.compactMap { names in
                names.count == 1 && attributes.contains { $0.name == names[0] } ? names[0] : nil
            })
        name = entity.name
        isAbstract = entity.isAbstract
        uniquenessConstraints = entity.uniquenessConstraints.filter { names in
            !(names.count == 1 && single.contains(names[0]))
        }
        rows = attributes.flatMap { attribute in
            Self.rows(of: attribute, isUnique: single.contains(attribute.name))
        }
        for names in uniquenessConstraints {
            rows.append(BoxRow(kind: .uniqueness, name: names.joined(separator: ", "), marks: ["unique"]))
        }
        for relationship in entity.properties.compactMap(\.relationship) {
            rows.append(Self.row(of: relationship))
        }
    }

    private static func rows(of attribute: AttributeDescription, isUnique: Bool, depth: Int = 0) -> [BoxRow] {
        var marks: [String] = []
        if isUnique { marks.append("unique") }
        if attribute.isCaseInsensitive { marks.append("case-insensitive") }
        if attribute.isTransient { marks.append("transient") }
        let row = BoxRow(
            kind: depth == 0 ? .attribute : .element, name: attribute.name,
            type: attribute.type.diagramName + (attribute.isOptional ? "?" : ""), marks: marks, depth: depth)
        let elements = attribute.type.composite?.elements ?? []
        return [row] + elements.flatMap { rows(of: $0, isUnique: false, depth: depth + 1) }
    }

    private static func row(of relationship: RelationshipDescription) -> BoxRow {
        var marks: [String] = []
        if relationship.isToMany && relationship.isOrdered { marks.append("ordered") }
        if relationship.deleteRule != .nullify { marks.append(relationship.deleteRule.diagramName) }
        let type =
            relationship.isToMany
            ? "[\(relationship.destination)]"
            : relationship.destination + (relationship.isOptional ? "?" : "")
        return BoxRow(kind: .relationship, name: relationship.name, type: type, marks: marks)
    }
}

extension DeleteRule {
    var diagramName: String { self == .noAction ? "no action" : rawValue }
}

extension AttributeType {
    /// The Swift type of the values, as far as the model knows it.
    var diagramName: String {
        switch kind {
        case .undefined: "Undefined"
        case .integer16: "Int16"
        case .integer32: "Int32"
        case .integer64: "Int64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Bool"
        case .date: "Date"
        case .binary: "Data"
        case .uuid: "UUID"
        case .uri: "URL"
        case .transformable: "Transformable"
        case .array(let element): "[\(element.diagramName)]"
        case .composite(let composite): composite.name
        }
    }
}
