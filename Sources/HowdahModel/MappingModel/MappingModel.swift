/// How the objects of a store of one model become objects of another model: an ordered list of entity mappings.
///
/// A value: it is built in code, read from an `.xcmappingmodel` or from JSON, compared and printed. The two models are not
/// part of it; ``resolved(from:to:)`` checks it against them.
///
/// Source: Core Data's `NSMappingModel`.
public struct MappingModel: Hashable, Sendable, Codable {
    /// The mappings, in the order in which each pass of a migration goes through them.
    public var entityMappings: [EntityMapping]

    /// Makes a mapping model.
    public init(entityMappings: [EntityMapping]) { self.entityMappings = entityMappings }

    /// The entity mappings by name; of several with one name the first.
    public var entityMappingsByName: [String: EntityMapping] {
        Dictionary(entityMappings.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The names of the migration policies that the application registers, each once, in order.
    public var entityMigrationPolicyClassNames: [String] {
        entityMappings.compactMap(\.entityMigrationPolicyClassName).reduce(into: []) { names, name in
            if !names.contains(name) { names.append(name) }
        }
    }
}
