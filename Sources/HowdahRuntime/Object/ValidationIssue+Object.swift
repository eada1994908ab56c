extension ValidationIssue {
    /// Creates an issue of one of your objects, to throw from ``ManagedObject/validateForInsert()`` and the
    /// other hooks.
    ///
    /// - Parameters:
    ///   - properties: The properties concerned; none for an issue of the whole object.
    ///   - code: Core Data's number for this kind of issue; 1550 for no particular one.
    ///   - message: The fault and the remedy, to follow the property's name. If you show errors to other
    ///     people, leave out values.
    public init(
        _ object: ManagedObject, _ properties: [String] = [], code: Int = 1550, _ message: String
    ) {
        self.init(object.objectID, object.layout.name, properties, code, message)
    }

    init(_ object: ManagedObject, _ property: String?, _ code: Int, _ message: String) {
        self.init(object.objectID, object.layout.name, property, code, message)
    }
}
