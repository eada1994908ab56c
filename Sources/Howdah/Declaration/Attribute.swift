#if Full || Macros
/// Says more of an attribute than its type and initial value do.
///
/// ```swift
/// @Attribute(.unique, maximumLength: 80) var name: String
/// @Attribute(minimum: 0, column: "floor_no") var floor: Int
/// @Attribute(derived: "employees.@count") var headcount: Int
/// ```
/// - Parameters:
///   - options: `.unique`, `.indexed`, `.caseInsensitive`, `.transient`, `.externalStorage`.
///   - unknown: the case of an ``AttributeEnum`` that stored values read as if no case has them: those of a later version of the
///     program. A save writes the column only if another value was assigned. The case itself cannot be stored, and is no
///     part of the model; predicates compare what is stored.
///   - derived: what the store computes the value from, see ``Derivation``; the property cannot be set.
///   - column: the column's name, where it is not made of the property's.
///   - minimum: the smallest valid number or date, inclusive.
///   - maximum: the largest valid number or date, inclusive.
///   - minimumLength: the smallest valid length of a string, in UTF-16 units.
///   - maximumLength: the largest valid length of a string, in UTF-16 units.
///   - regex: a regular expression that the whole string has to match. Constructs outside of those that `MATCHES` has
///     are checked by saves only, which fail if a match takes too long.
///   - renamingIdentifier: what the attribute was called in an earlier version of the model.
///   - versionHashModifier: a text that makes this version of the attribute differ from one otherwise the same.
///   - valueTransformerName: what makes the bytes of a `Data` attribute a value where it is accessed by name; the attribute is
///     Transformable then. An ``AttributeTransformable`` type names its own.
///   - userInfo: annotations.
@attached(peer)
public macro Attribute(
    _ options: AttributeOption..., derived: String? = nil, column: String? = nil, minimum: Value? = nil,
    maximum: Value? = nil, minimumLength: Int? = nil, maximumLength: Int? = nil, regex: String? = nil,
    renamingIdentifier: String? = nil, versionHashModifier: String? = nil,
    valueTransformerName: String? = nil, unknown: UnknownCase? = nil,
    userInfo: [String: String] = [:]
) = #externalMacro(module: "HowdahMacros", type: "AttributeMacro")

/// Says more of an attribute whose type is an enum; the case for unknown values is written with its type.
///
/// ```swift
/// @Attribute(unknown: Tier.fallback) var tier: Tier
/// ```
/// - Parameters:
///   - options: `.unique`, `.indexed`.
///   - column: the column's name, where it is not made of the property's.
///   - renamingIdentifier: what the attribute was called in an earlier version of the model.
///   - versionHashModifier: a text that makes this version of the attribute differ from one otherwise the same.
///   - unknown: the case that stored values read as if no case has them.
///   - userInfo: annotations.
@attached(peer)
public macro Attribute<Unknown: AttributeEnum>(
    _ options: AttributeOption..., column: String? = nil, renamingIdentifier: String? = nil,
    versionHashModifier: String? = nil, unknown: Unknown, userInfo: [String: String] = [:]
) = #externalMacro(module: "HowdahMacros", type: "AttributeMacro")
#endif

/// A trait of an attribute that takes one word in `@Attribute`.
public enum AttributeOption: Sendable {
    /// No two objects of the entity have the same value.
    case unique
    /// Fetches by the value, or in its order, find an index.
    case indexed
    /// Predicates, sorting and uniqueness take "Ada" and "ADA" for one String; the value stays as it is set.
    case caseInsensitive
    /// The value lives in memory only and has no column.
    case transient
    /// Large values may be kept outside the row.
    case externalStorage
}
