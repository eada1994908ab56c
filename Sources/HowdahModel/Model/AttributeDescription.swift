/// An attribute of an entity, or an element of a composite.
///
/// Source: Core Data's `NSAttributeDescription`; its validation predicates are the fields `minimum` to
/// `regex`.
public struct AttributeDescription: Hashable, Sendable {
    /// The name, unique within its entity and superentities.
    public var name: String
    /// The type of its values.
    public var type: AttributeType
    /// A Boolean value that indicates whether the value may be nil when you save the object.
    public var isOptional: Bool
    /// The value of a new object; nil for none.
    public var defaultValue: Value?
    /// A Boolean value that indicates whether the value lives in memory only and has no column.
    public var isTransient: Bool
    /// The attribute's name in an earlier version of the model.
    public var renamingIdentifier: String?
    /// A text that distinguishes this version of the attribute from an otherwise equal one.
    public var versionHashModifier: String?
    /// Annotations; ``MappingKey`` has the keys for the mapping.
    public var userInfo: [String: String]
    /// The smallest valid value of a number or date, inclusive.
    public var minimum: Value?
    /// The largest valid value of a number or date, inclusive.
    public var maximum: Value?
    /// The smallest valid length of a string, in UTF-16 units as in Core Data.
    public var minimumLength: Int?
    /// The largest valid length of a string, in UTF-16 units as in Core Data.
    public var maximumLength: Int?
    /// A regular expression that the whole string must match.
    ///
    /// It is also a CHECK if PostgreSQL reads it as ICU does.
    public var regex: String?
    /// The name of a Transformable attribute's transformer. If none is registered, the value is opaque
    /// `Data`.
    public var valueTransformerName: String?
    /// A Boolean value that indicates whether large values may be kept outside the row.
    public var allowsExternalBinaryDataStorage: Bool
    /// The class of a Transformable attribute's values, for generated code; nil if none is given.
    public var valueClassName: String?
    /// The expression that the value is derived from, such as `items.@count`; nil for an attribute that you
    /// set.
    ///
    /// See ``Derivation``.
    public var derivationExpression: String?
    /// The only valid values, apart from nil; empty for no such rule.
    public var allowedValues: [Value]
    /// A Boolean value that indicates whether the history of changes keeps the value when the object is
    /// deleted.
    ///
    /// You can change it without a migration, because it is not a part of the checksum. It has no effect on an
    /// attribute without a column, and on an element of a composite. A composite is kept as a whole.
    public var preservesValueInHistoryOnDeletion: Bool

    /// Creates an attribute.
    ///
    /// Literals for `default`, `minimum` and `maximum` are converted to the attribute's type. So `default: 0`
    /// works for a Decimal, and a text for a UUID or URI. `caseInsensitive` is stored in `userInfo`.
    public init(
        _ name: String, _ type: AttributeType, optional: Bool = true, default defaultValue: Value? = nil,
        transient: Bool = false, caseInsensitive: Bool = false, minimum: Value? = nil, maximum: Value? = nil,
        minimumLength: Int? = nil,
        maximumLength: Int? = nil, regex: String? = nil, renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil, valueTransformerName: String? = nil,
        allowsExternalBinaryDataStorage: Bool = false, valueClassName: String? = nil,
        derivation: String? = nil, allowedValues: [Value] = [],
        preservesValueInHistoryOnDeletion: Bool = false, userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.type = type
        self.isOptional = optional
        self.defaultValue = defaultValue.map(type.coerced)
        self.isTransient = transient
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
        self.minimum = minimum.map(type.coerced)
        self.maximum = maximum.map(type.coerced)
        self.minimumLength = minimumLength
        self.maximumLength = maximumLength
        self.regex = regex
        self.valueTransformerName = valueTransformerName ?? userInfo[MappingKey.transformer]
        self.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
        self.valueClassName = valueClassName
        self.derivationExpression = derivation
        self.allowedValues = allowedValues.map(type.coerced)
        self.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
        // It has a field of its own.
        self.userInfo[MappingKey.transformer] = nil
        if caseInsensitive { isCaseInsensitive = true }
    }

    /// A Boolean value that indicates whether the attribute has columns: it is neither transient nor of type
    /// undefined.
    public var isStored: Bool { !isTransient && type.isStored }
}
