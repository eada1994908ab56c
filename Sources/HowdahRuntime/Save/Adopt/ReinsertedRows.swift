import HowdahModel
import PQClient

/// Finds existing rows with the ids of objects that a save was to store again, after the server reported one.
///
/// Another context was first.
struct ReinsertedRows {
    let context: ManagedObjectContext
    /// A connection that can run queries again.
    let connection: Connection

    /// Returns the error that names them, with the conflicts for the context; nil if there are none.
    func error(_ changes: ChangeSet) throws -> SaveError? {
        let again = changes.inserted.filter { $0.version > 0 && $0.key > 0 }
        var found: [(object: ManagedObject, row: StoredRow)] = []
        for (entity, objects) in Dictionary(grouping: again, by: { $0.layout.index }) {
            let rows = try StoredRow.read(
                objects.map(\.key), of: context.layouts[entity], in: context
            ) {
                try connection.query($0, $1, about: $2)
            }
            found += objects.compactMap { object in rows[object.key].map { (object, $0) } }
        }
        if found.isEmpty { return nil }
        context.changes.noteConflicts(found.map { MergeConflict($0.object, $0.row) })
        return Conflicts.error(found.map { Conflicts.conflict($0.object, $0.row, context) })
    }
}
