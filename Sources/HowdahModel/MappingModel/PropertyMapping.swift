/// How one attribute or relationship of a destination object gets its value.
///
/// Source: Core Data's `NSPropertyMapping`.
public struct PropertyMapping: Hashable, Sendable {
    /// The name of the property of the destination entity.
    public var name: String
    /// What the property becomes; nil leaves it at its default, or to the entity's migration policy.
    public var valueExpression: MappingExpression?
    /// Whether an expression is made from the models where none is given: the source's property of the same name, see
    /// ``MappingModel/resolved(from:to:)``.
    public var generatesValueExpression: Bool
    /// What a migration policy may want to know.
    public var userInfo: [String: String]

    /// Makes a mapping of a property; without an expression, one that leaves the property at its default.
    public init(
        _ name: String, _ valueExpression: MappingExpression? = nil, generatesValueExpression: Bool = false,
        userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.valueExpression = valueExpression
        self.generatesValueExpression = generatesValueExpression
        self.userInfo = userInfo
    }
}
