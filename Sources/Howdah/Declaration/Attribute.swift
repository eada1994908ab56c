#if Full || Server || Browser || All || Macros
/// Adds rules and storage settings to an attribute, in addition to its type and initial value.
///
/// ```swift
/// @Attribute(.unique, maximumLength: 80) var name: String
/// @Attribute(minimum: 0, column: "floor_no") var floor: Int
/// @Attribute(derived: "employees.@count") var headcount: Int
/// ```
/// - Parameters:
///   - options: `.unique`, `.indexed`, `.caseInsensitive`, `.transient`, `.externalStorage`,
///     `.preserveValueOnDeletion`.
///   - unknown: The case of an ``AttributeEnum`` for stored values without a case, such as those of a later
///     version of the program. A save writes the column only if you assigned another value. The case itself
///     cannot be stored, and is not a part of the model; predicates compare the stored value.
///   - derived: The expression from which the store computes the value; see ``Derivation``. You cannot set
///     the property.
///   - column: The column's name, if it is not made from the property's.
///   - minimum: The smallest valid number or date, inclusive.
///   - maximum: The largest valid number or date, inclusive.
///   - minimumLength: The smallest valid length of a string, in UTF-16 units.
///   - maximumLength: The largest valid length of a string, in UTF-16 units.
///   - regex: A regular expression that the whole string must match. Only saves check constructs that
///     `MATCHES` does not have. If a match takes too long, the save fails.
///   - renamingIdentifier: The attribute's name in an earlier version of the model.
///   - versionHashModifier: A text that distinguishes this version of the attribute from an otherwise equal
///     one.
///   - valueTransformerName: The name of the transformer of a `Data` attribute's bytes for access by name;
///     the attribute is then Transformable. An ``AttributeTransformable`` type names its own.
///   - userInfo: Annotations.
@attached(peer)
public macro Attribute(
    _ options: AttributeOption..., derived: String? = nil, column: String? = nil, minimum: Value? = nil,
    maximum: Value? = nil, minimumLength: Int? = nil, maximumLength: Int? = nil, regex: String? = nil,
    renamingIdentifier: String? = nil, versionHashModifier: String? = nil,
    valueTransformerName: String? = nil, unknown: UnknownCase? = nil,
    userInfo: [String: String] = [:]
) = #externalMacro(module: "HowdahMacros", type: "AttributeMacro")

/// Adds rules and storage settings to an attribute whose type is an enum, with the type of the unknown case.
///
/// ```swift
/// @Attribute(unknown: Tier.fallback) var tier: Tier
/// ```
/// - Parameters:
///   - options: `.unique`, `.indexed`, `.preserveValueOnDeletion`.
///   - column: The column's name, if it is not made from the property's.
///   - renamingIdentifier: The attribute's name in an earlier version of the model.
///   - versionHashModifier: A text that distinguishes this version of the attribute from an otherwise equal
///     one.
///   - unknown: The case for stored values without a case.
///   - userInfo: Annotations.
@attached(peer)
public macro Attribute<Unknown: AttributeEnum>(
    _ options: AttributeOption..., column: String? = nil, renamingIdentifier: String? = nil,
    versionHashModifier: String? = nil, unknown: Unknown, userInfo: [String: String] = [:]
) = #externalMacro(module: "HowdahMacros", type: "AttributeMacro")
#endif

/// A trait of an attribute that is one word in `@Attribute`.
public enum AttributeOption: Sendable {
    /// No two objects of the entity have the same value.
    case unique
    /// Fetches by the value, or in its order, can use an index.
    case indexed
    /// Predicates, sorting and uniqueness treat "Ada" and "ADA" as one String; the value stays as you set it.
    case caseInsensitive
    /// The value lives in memory only and has no column.
    case transient
    /// Large values may be kept outside the row.
    case externalStorage
    /// The history of changes keeps the value when the object is deleted.
    ///
    /// Source: SwiftData's `Schema.Attribute.Option.preserveValueOnDeletion`.
    case preserveValueOnDeletion
}
