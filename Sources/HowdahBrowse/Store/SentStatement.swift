/// A statement that a page sent, for its foot.
struct SentStatement: Sendable {
    let sql: String
    let duration: Duration
    let rows: Int

    /// Indicates whether it only begins, limits or ends the transaction of the page.
    var isControl: Bool {
        ["BEGIN", "START", "COMMIT", "ROLLBACK", "SET "].contains { sql.hasPrefix($0) }
    }
}
