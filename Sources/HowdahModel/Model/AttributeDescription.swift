/// One attribute of an entity, or one element of a composite.
///
/// Source: Core Data's `NSAttributeDescription`; its validation predicates are the fields `minimum` to `regex`.
public struct AttributeDescription: Hashable, Sendable {
    /// The name, unique within its entity and superentities.
    public var name: String
    /// What kind of value it holds.
    public var type: AttributeType
    /// Whether the value may be nil when the object is saved.
    public var isOptional: Bool
    /// The value of a new object; nil for none.
    public var defaultValue: Value?
    /// Whether the value lives in memory only and has no column.
    public var isTransient: Bool
    /// What the attribute was called in an earlier version of the model.
    public var renamingIdentifier: String?
    /// A text that makes this version of the attribute differ from one that is otherwise the same.
    public var versionHashModifier: String?
    /// Annotations; the keys that steer the mapping are in ``MappingKey``.
    public var userInfo: [String: String]
    /// The smallest valid value of a number or date, inclusive.
    public var minimum: Value?
    /// The largest valid value of a number or date, inclusive.
    public var maximum: Value?
    /// The smallest valid length of a string, in UTF-16 units as in Core Data; see ``StoreSchema`` for the CHECK.
    public var minimumLength: Int?
    /// The largest valid length of a string, in UTF-16 units as in Core Data; see ``StoreSchema`` for the CHECK.
    public var maximumLength: Int?
    /// A regular expression that the whole string has to match; a CHECK too where PostgreSQL reads it as ICU does.
    public var regex: String?
    /// The transformer of a Transformable attribute; where none is registered the value is opaque `Data`.
    public var valueTransformerName: String?
    /// Whether large values may be kept outside the row.
    public var allowsExternalBinaryDataStorage: Bool
    /// The class of a Transformable attribute's values, for generated code; nil where none is given.
    public var valueClassName: String?
    /// What the value follows from, such as `items.@count`; nil for an attribute that is set. See ``Derivation``.
    public var derivationExpression: String?
    /// The only values that are valid besides nil; empty for no such rule.
    public var allowedValues: [Value]
    /// Whether the value stays in the history of changes when the object is deleted.
    public var preservesValueInHistoryOnDeletion: Bool

    /// Describes an attribute.
    ///
    /// Literals for `default`, `minimum` and `maximum` are turned into the attribute's type, so that
    /// `default: 0` works for a Decimal and a text for a UUID or URI. `caseInsensitive` is kept in `userInfo`.
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

    /// Whether the attribute has columns: it is neither transient nor of type undefined.
    public var isStored: Bool { !isTransient && type.isStored }
}
