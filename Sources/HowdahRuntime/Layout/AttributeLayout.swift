package import HowdahModel

/// One attribute as the runtime handles it.
///
/// A class, because it is asked for at every access and its many strings would be retained with each copy.
package final class AttributeLayout: Sendable {
    package let description: AttributeDescription
    package let type: AttributeType
    package let isOptional: Bool
    let isTransient: Bool
    /// Whether the store computes the value.
    package let isDerived: Bool
    package let defaultValue: Value?
    /// What makes bytes values for access by name; nil where none is registered.
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
