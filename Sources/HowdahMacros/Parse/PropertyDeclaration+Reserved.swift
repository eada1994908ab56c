extension PropertyDeclaration {
    /// Whether the library needs the name for itself.
    static func isReserved(_ name: String) -> Bool { name.hasPrefix("_") || taken.contains(name) }

    /// The names of every managed object's properties and of methods without arguments.
    private static let taken: Set<String> = [
        "awakeFromFetch", "awakeFromInsert", "changedPropertyNames", "changedValues",
        "changedValuesForCurrentEvent", "didSave", "didTurnIntoFault",
        "entityName", "hasChanges", "hasPersistentChangedValues", "hash", "hashValue", "isDeleted", "isFault",
        "isInserted", "isUpdated", "managedObjectContext", "objectID", "prepareForDeletion", "self", "Type",
        "init",
        "validateForDelete", "validateForInsert", "validateForUpdate", "willSave", "willTurnIntoFault",
    ]
}
