public import HowdahModel
import Synchronization

/// The managed object classes of this process, by name, as the Objective-C runtime has them for Core Data.
enum ClassRegistry {
    private static let classes = Mutex<[String: ManagedObject.Type]>([:])

    static func register(_ type: ManagedObject.Type, as name: String) {
        classes.withLock { $0[name] = type }
    }

    static func type(named name: String) -> ManagedObject.Type? { classes.withLock { $0[name] } }
}

extension ManagedObjectModel {
    /// Creates the model of managed object classes that have their entity, as typed classes do.
    ///
    /// Name every class, superclasses too. The classes also become known by name, so that objects of a model
    /// that you read from a file have these classes.
    ///
    /// - Throws: `ModelError` with all issues of the model.
    public init(_ classes: ManagedObject.Type...) throws(ModelError) {
        var entities: [EntityDescription] = []
        var owners: [String: ManagedObject.Type] = [:]
        for type in classes {
            if let name = type.entity?.name {
                if let other = owners.updateValue(type, forKey: name) {
                    try Self.checkEntities(of: type, other)
                }
            }
            guard var entity = type.entity else {
                throw ModelError(
                    .invalidModel,
                    issues: [
                        ModelIssue(
                            .unknownEntity, "\(type)", nil,
                            "The class declares no entity. Mark \(type) with @Entity, or override its class property "
                                + "'entity'."
                        )
                    ])
            }
            let name = entity.className ?? _typeName(type, qualified: true)
            entity.className = name
            ClassRegistry.register(type, as: name)
            entities.append(entity)
        }
        try self.init(entities: entities)
    }

    /// - Throws: `ModelError` if one of the classes has its entity from the other one.
    private static func checkEntities(
        of one: ManagedObject.Type, _ other: ManagedObject.Type
    ) throws(ModelError) {
        for (type, ancestor) in [(one, other), (other, one)] where type != ancestor && type.inherits(ancestor)
        {
            throw ModelError(
                .invalidModel,
                issues: [
                    ModelIssue(
                        .duplicateName, "\(type)", nil,
                        "The class declares no entity and inherits that of \(ancestor). Mark \(type) with @Entity."
                    )
                ])
        }
    }
}

extension ManagedObject {
    /// The names of the properties in slot order, inherited first, as the class declares them.
    class var propertyNames: [String] {
        let inherited = (superclass as? ManagedObject.Type)?.propertyNames ?? []
        return inherited + (entity?.properties.map(\.name) ?? [])
    }

    /// Returns a Boolean value that indicates whether the class is a subclass of another one.
    fileprivate class func inherits(_ other: ManagedObject.Type) -> Bool {
        var ancestor: AnyClass? = superclass
        while let type = ancestor {
            if type == other { return true }
            ancestor = _getSuperclass(type)
        }
        return false
    }

    private class var superclass: AnyClass? { _getSuperclass(self) }
}
