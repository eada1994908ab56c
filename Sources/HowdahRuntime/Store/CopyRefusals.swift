import Synchronization

/// The tables into which the server refuses a COPY, because row level security applies to the role.
///
/// They are known once a COPY was refused. Rows are then inserted by other statements.
final class CopyRefusals: Sendable {
    private let names = Mutex<Set<String>>([])

    /// The quoted names of the tables.
    var tables: Set<String> { names.withLock { $0 } }

    /// Records a table after a refused COPY.
    ///
    /// - Parameter table: The quoted name, as in the layout of the table.
    func note(_ table: String) { names.withLock { _ = $0.insert(table) } }
}
