import HowdahModel

/// One attribute as the runtime handles it.
///
/// A class, because it is asked for at every access and its many strings would be retained with each copy.
final class AttributeLayout: Sendable {
    let description: AttributeDescription
    let type: AttributeType
    let isOptional: Bool
    let isTransient: Bool
    /// Whether the store computes the value.
    let isDerived: Bool
    let defaultValue: Value?
    /// Whether a value can break a rule of the model; composites may have rules in their elements.
    let hasRules: Bool

    init(_ description: AttributeDescription) {
        self.description = description
        type = description.type
        isOptional = description.isOptional
        isTransient = description.isTransient
        isDerived = description.derivationExpression != nil
        defaultValue = description.defaultValue
        hasRules =
            description.type.composite != nil || description.minimum != nil || description.maximum != nil
            || description.minimumLength != nil || description.maximumLength != nil
            || description.regex != nil
    }
}
