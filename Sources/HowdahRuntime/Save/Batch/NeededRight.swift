/// The right on a table without which the server refuses a statement, for an error message.
///
/// The server names the table only in its own language.
struct NeededRight {
    /// The right that a role may lack.
    enum Right: String {
        case update = "SELECT and UPDATE"
        case delete = "SELECT and DELETE"
    }

    let table: StoredTable
    let right: Right
    /// The reason, as a clause whose subject is the request.
    let purpose: String

    init(_ table: StoredTable, _ right: Right, _ purpose: String) {
        self.table = table
        self.right = right
        self.purpose = purpose
    }
}
