import Foundation
import HowdahModel
import HowdahRuntime
import PQClient

/// The identifier and the model's checksum in a store's record, by which old pages notice another store.
struct RecordMark: Sendable {
    private let identifier: String
    private let checksum: String

    /// Returns an expression for the mark of a schema's store, which is a part of another statement.
    static func selection(in schemaName: String) -> String {
        """
        (SELECT pg_catalog.concat_ws(' ', r.store_uuid, r.checksum) \
        FROM \(SQLIdentifier.quoted(schemaName, StoreSchema.metadataTable)) r LIMIT 1)
        """
    }

    /// Creates a mark from the value of ``selection(in:)``.
    init?(_ text: String) {
        let parts = text.split(separator: " ").map(String.init)
        guard parts.count == 2 else { return nil }
        (identifier, checksum) = (parts[0], parts[1])
    }

    /// Returns a line for the reader if the pages opened another store or model; nil otherwise.
    func warning(_ container: PersistentContainer) -> String? {
        let isSame = identifier.lowercased() == container.storeIdentifier.uuidString.lowercased()
        if isSame, container.model.hasChecksum(checksum) { return nil }
        let event = isSame ? "migrated to another model" : "replaced by another store"
        return
            "The store was \(event) after these pages opened it, and they still have the old model. Restart howdah "
            + "browse, or the program that has the pages."
    }
}
