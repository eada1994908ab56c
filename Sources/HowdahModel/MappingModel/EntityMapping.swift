/// How the objects of one source entity become objects of one destination entity.
///
/// Source: Core Data's `NSEntityMapping`. What is its `sourceExpression`, a fetch, is ``sourceFilter`` here, the only part
/// of it that differs.
public struct EntityMapping: Hashable, Sendable {
    /// What is done.
    public enum MappingType: String, Hashable, Sendable, Codable, CaseIterable {
        /// What the models and the policy suggest, see ``MappingModel/resolved(from:to:)``.
        case undefined
        /// What ``entityMigrationPolicyClassName`` does.
        case custom
        /// There is no source: the entity is new, and begins without objects.
        case add
        /// There is no destination: the source's objects are left behind.
        case remove
        /// The entity is the same in both models.
        case copy
        /// The property mappings say what changes.
        case transform
    }

    /// The name that expressions and policies know the mapping by; unique in its model.
    public var name: String
    /// What is done.
    public var mappingType: MappingType
    /// The entity whose objects are migrated; nil for ``MappingType/add``.
    public var sourceEntityName: String?
    /// The hash of ``sourceEntityName`` in the model that the mapping was made for, as in
    /// ``ManagedObjectModel/entityVersionHashes``; nil for any.
    public var sourceEntityVersionHash: String?
    /// The entity that objects are made of; nil for ``MappingType/remove``.
    public var destinationEntityName: String?
    /// The hash of ``destinationEntityName`` in the model that the mapping was made for; nil for any.
    public var destinationEntityVersionHash: String?
    /// Which source objects are migrated; nil for all. Key paths begin at the source object.
    public var sourceFilter: PredicateTree?
    /// How attributes get their values.
    public var attributeMappings: [PropertyMapping]
    /// How relationships get their objects, once all objects are there.
    public var relationshipMappings: [PropertyMapping]
    /// The name that the application's migration policy is registered under; nil for none.
    public var entityMigrationPolicyClassName: String?
    /// What a migration policy may want to know.
    public var userInfo: [String: String]

    /// Makes a mapping.
    ///
    /// - Parameters:
    ///   - name: nil for ``name(from:to:)``.
    ///   - mappingType: nil for what the other arguments say: custom with a policy, add without a source, remove without
    ///     a destination, else transform.
    public init(
        _ name: String? = nil, from sourceEntityName: String? = nil, to destinationEntityName: String? = nil,
        mappingType: MappingType? = nil, sourceFilter: PredicateTree? = nil,
        attributeMappings: [PropertyMapping] = [], relationshipMappings: [PropertyMapping] = [],
        entityMigrationPolicyClassName: String? = nil, sourceEntityVersionHash: String? = nil,
        destinationEntityVersionHash: String? = nil, userInfo: [String: String] = [:]
    ) {
        self.name = name ?? Self.name(from: sourceEntityName, to: destinationEntityName)
        self.sourceEntityName = sourceEntityName
        self.sourceEntityVersionHash = sourceEntityVersionHash
        self.destinationEntityName = destinationEntityName
        self.destinationEntityVersionHash = destinationEntityVersionHash
        self.sourceFilter = sourceFilter
        self.attributeMappings = attributeMappings
        self.relationshipMappings = relationshipMappings
        self.entityMigrationPolicyClassName = entityMigrationPolicyClassName
        self.userInfo = userInfo
        self.mappingType = .undefined
        self.mappingType = mappingType ?? impliedType
    }

    /// The name that Xcode gives a mapping: `NoteToMemo`; of an entity that is added or removed, the entity's own.
    public static func name(from source: String?, to destination: String?) -> String {
        guard let source, let destination else { return source ?? destination ?? "" }
        return "\(source)To\(destination)"
    }

    /// The type that follows from the policy, the source and the destination.
    var impliedType: MappingType {
        if entityMigrationPolicyClassName != nil { return .custom }
        if sourceEntityName == nil { return .add }
        return destinationEntityName == nil ? .remove : .transform
    }

    /// Whether objects are made of source objects by the property mappings alone.
    var makesObjects: Bool { mappingType == .transform || mappingType == .copy || mappingType == .custom }
}
