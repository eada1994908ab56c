import HowdahModel

extension PropertyNames {
    /// Returns the meaning of a key path in a `#Predicate`, or nil if it is not a property of the model.
    static func step(of keyPath: AnyKeyPath) -> PropertyStep? {
        if let name = name(of: keyPath) { return .property(name) }
        return switch type(of: keyPath).rootType {
        case let root as any ManagedObjectIdentity.Type: isObjectID(keyPath, of: root) ? .objectID : nil
        case let root as any MembersType.Type: root.step(of: keyPath)
        default: nil
        }
    }

    /// Returns true for the key path of the id. Only a protocol opens to the type itself: a class opens to
    /// its superclass.
    private static func isObjectID<Root: ManagedObjectIdentity>(
        _ keyPath: AnyKeyPath, of root: Root.Type
    ) -> Bool {
        keyPath == \Root.objectID
    }

    /// Returns the complaint about a key path without a name.
    static func complaint(about keyPath: AnyKeyPath) -> String {
        """
        A key path of \(type(of: keyPath).rootType) is not a property that its class lists. It is a computed property, \
        a chain of properties, or a property whose setter is not visible here. Write a chain in steps, as in \
        .ascending(\\.department, \\.name), and name other properties, as in .key("lastName").
        """
    }
}

/// The members of a to-many relationship of any type.
private protocol MembersType {
    static func step(of keyPath: AnyKeyPath) -> PropertyStep?
}

extension ToMany: MembersType {
    fileprivate static func step(of keyPath: AnyKeyPath) -> PropertyStep? {
        switch keyPath {
        case \Self.count: .count
        case \Self.isEmpty: .isEmpty
        default: nil
        }
    }
}

extension OrderedToMany: MembersType {
    fileprivate static func step(of keyPath: AnyKeyPath) -> PropertyStep? {
        switch keyPath {
        case \Self.count: .count
        case \Self.isEmpty: .isEmpty
        default: nil
        }
    }
}
