extension Store {
    /// Refuses changes if the container only reads.
    ///
    /// - Throws: `SaveError.readOnly`.
    func checkWritable() throws {
        guard settings.isReadOnly else { return }
        throw SaveError(
            .readOnly,
            "The container was opened with StoreOptions.isReadOnly, so nothing was saved. Save with a container that "
                + "was opened without it.")
    }
}

extension StoreError {
    /// The error of a read-only opening that finds no store.
    static func nothingToRead(in schemaName: String) -> StoreError {
        StoreError(
            .notAStore,
            "The schema '\(schemaName)' has no store, and a container with StoreOptions.isReadOnly creates none. "
                + "Correct the schema, or create the store with howdah migrate apply.")
    }
}
