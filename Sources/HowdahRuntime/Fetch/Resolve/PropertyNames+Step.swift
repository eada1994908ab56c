import HowdahModel

extension PropertyNames {
    /// What a key path of a `#Predicate` stands for, or nil where it is none of the model's properties.
    static func step(of keyPath: AnyKeyPath) -> PropertyStep? {
        if let name = name(of: keyPath) { return .property(name) }
        return switch type(of: keyPath).rootType {
        case let root as any ManagedObjectIdentity.Type: isObjectID(keyPath, of: root) ? .objectID : nil
        case let root as any MembersType.Type: root.step(of: keyPath)
        default: nil
        }
    }

    /// By way of a protocol, because only those open to the type itself: a class would open to its superclass.
    private static func isObjectID<Root: ManagedObjectIdentity>(
        _ keyPath: AnyKeyPath, of root: Root.Type
    ) -> Bool {
        keyPath == \Root.objectID
    }

    /// What to write instead of a key path that has no name.
    static func complaint(about keyPath: AnyKeyPath) -> String {
        """
        A key path of \(type(of: keyPath).rootType) is not a property that its class lists. It is a computed property, \
        a chain of properties, or a property whose setter is not visible here. Write a chain in steps, as in \
        .ascending(\\.department, \\.name), and name other properties, as in .key("lastName").
        """
    }
}

/// The members of a to-many relationship, whatever they are.
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
