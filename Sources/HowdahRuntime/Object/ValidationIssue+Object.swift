extension ValidationIssue {
    /// What an object of yours breaks; throw it from ``ManagedObject/validateForInsert()`` and its relatives.
    ///
    /// - Parameters:
    ///   - properties: the properties concerned; none where the whole object is meant.
    ///   - code: Core Data's number for this kind of issue; 1550 for no particular one.
    ///   - message: what is wrong and what to do about it, to follow the property's name; without values, if errors
    ///     are shown to others.
    public init(
        _ object: ManagedObject, _ properties: [String] = [], code: Int = 1550, _ message: String
    ) {
        self.init(object.objectID, object.layout.name, properties, code, message)
    }

    init(_ object: ManagedObject, _ property: String?, _ code: Int, _ message: String) {
        self.init(object.objectID, object.layout.name, property, code, message)
    }
}
