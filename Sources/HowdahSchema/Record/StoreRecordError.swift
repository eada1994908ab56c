internal import HowdahModel

/// A store that this version of the library must not use, or a table that is not a store's record.
package struct StoreRecordError: Error, CustomStringConvertible {
    /// The failure and the remedy.
    package let message: String

    package var description: String { message }

    package init(_ message: String) { self.message = message }

    init(foreign fault: String, in schemaName: String) {
        message =
            "\(StoreSchema.metadataTable) in schema '\(schemaName)' is damaged or was not created by Howdah: \(fault). "
            + "Restore the table from a backup, or choose another schema."
    }
}
