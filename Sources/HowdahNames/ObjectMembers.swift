/// The members of every managed object that no property of a model can be named after.
package enum ObjectMembers {
    /// The names of properties and of methods without arguments. Names that begin with an underscore are the library's
    /// throughout.
    package static let names: Set<String> = [
        "awakeFromFetch", "awakeFromInsert", "changedPropertyNames", "changedValues",
        "changedValuesForCurrentEvent", "didSave", "didTurnIntoFault",
        "entityName", "hasChanges", "hasPersistentChangedValues", "hash", "hashValue", "isDeleted", "isFault",
        "isInserted", "isUpdated", "managedObjectContext", "objectID", "prepareForDeletion", "self", "Type",
        "init",
        "validateForDelete", "validateForInsert", "validateForUpdate", "willSave", "willTurnIntoFault",
    ]
}
