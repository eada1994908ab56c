package import HowdahModel

/// The runtime's data of one attribute.
///
/// It is a class, because each access uses it and each copy would retain its many strings.
package final class AttributeLayout: Sendable {
    package let description: AttributeDescription
    package let type: AttributeType
    package let isOptional: Bool
    let isTransient: Bool
    /// A Boolean value that indicates whether the store computes the value.
    package let isDerived: Bool
    package let defaultValue: Value?
    /// The transformer of bytes for access by name; nil if none is registered.
    let transformer: AttributeTransformer?
    /// The rules of the model that a value can break; nil for none.
    package let rules: AttributeRules?

    init(_ description: AttributeDescription, transformers: [String: AttributeTransformer] = [:]) {
        self.description = description
        transformer =
            description.type == .transformable
            ? description.valueTransformerName.flatMap { transformers[$0] } : nil
        type = description.type
        isOptional = description.isOptional
        isTransient = description.isTransient
        isDerived = description.derivationExpression != nil
        defaultValue = description.defaultValue
        let rules = AttributeRules(description)
        self.rules = rules.isEmpty ? nil : rules
    }
}
