internal import Foundation

/// One column-to-be of an attribute: the attribute itself, or an element in the depth of a composite.
package struct AttributeLeaf {
    package let path: [String]
    package let description: AttributeDescription
    package let type: StoreSchema.ColumnType
    package let wantedName: String
    /// Whether nothing on the way down, nor the leaf itself, may be nil.
    package let isRequired: Bool
    package let defaultValue: Value?

    func identity(in entity: String) -> String { ([entity] + path).joined(separator: PropertyKey.separator) }

    /// The leaves in order.
    ///
    /// Elements' own defaults count only where every enclosing composite is required: a row inserted without the
    /// columns of an optional composite must have a nil there, not half a value.
    package static func leaves(of attribute: AttributeDescription, column: String) -> [AttributeLeaf] {
        leaves(
            of: attribute, path: [attribute.name], column: column, isEnclosureRequired: true,
            value: attribute.defaultValue)
    }

    private static func leaves(
        of attribute: AttributeDescription, path: [String], column: String, isEnclosureRequired: Bool,
        value: Value?
    ) -> [AttributeLeaf] {
        guard attribute.isStored else { return [] }
        let isRequired = isEnclosureRequired && !attribute.isOptional
        if let type = attribute.columnType {
            return [
                AttributeLeaf(
                    path: path, description: attribute, type: type, wantedName: column,
                    isRequired: isRequired,
                    defaultValue: type == .jsonb ? nil : value?.columnDefault)
            ]
        }
        guard let composite = attribute.type.composite else { return [] }
        var values: [Value]?
        if case .composite(let elements) = value { values = elements }
        return composite.elements.enumerated().flatMap { position, element in
            leaves(
                of: element, path: path + [element.name],
                column: column + "_" + (element.userInfo[MappingKey.column] ?? element.name.snakeCased),
                isEnclosureRequired: isRequired,
                value: values?[position] ?? (isRequired ? element.defaultValue : nil))
        }
    }
}

extension Value {
    fileprivate var columnDefault: Value? {
        switch self {
        case .null: nil
        case .string(let text): .string(text.precomposed)
        default: self
        }
    }
}
