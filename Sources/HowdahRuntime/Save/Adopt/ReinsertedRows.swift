import HowdahModel
import PQClient

/// Finds the rows that exist under the ids of objects which a save was to store again, once the server said that there
/// is one: another context was first.
struct ReinsertedRows {
    let context: ManagedObjectContext
    /// In a state to run queries again.
    let connection: Connection

    /// The error that names them, with the conflicts left to the context; nil where there are none.
    func error(_ changes: ChangeSet) throws -> SaveError? {
        let again = changes.inserted.filter { $0.version > 0 && $0.key > 0 }
        var found: [(object: ManagedObject, row: StoredRow)] = []
        for (entity, objects) in Dictionary(grouping: again, by: { $0.layout.index }) {
            let rows = try StoredRow.read(objects.map(\.key), of: context.layouts[entity], in: context) {
                try connection.query($0, $1)
            }
            found += objects.compactMap { object in rows[object.key].map { (object, $0) } }
        }
        if found.isEmpty { return nil }
        context.changes.noteConflicts(found.map { MergeConflict($0.object, $0.row) })
        return Conflicts.error(found.map { Conflicts.conflict($0.object, $0.row, context) })
    }
}
