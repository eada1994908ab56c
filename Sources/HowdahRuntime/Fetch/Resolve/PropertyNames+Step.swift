import HowdahModel

extension PropertyNames {
    /// Returns the meaning of a key path in a `#Predicate`, or nil if it is not a property of the model.
    static func step(of keyPath: AnyKeyPath) -> PropertyStep? {
        if let name = name(of: keyPath) { return .property(name) }
        if isObjectID(keyPath) { return .objectID }
        return (type(of: keyPath).rootType as? any MembersType.Type)?.step(of: keyPath)
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
