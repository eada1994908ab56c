import PQClient

/// A statement of a mapping's pass.
struct MappedStatement: Sendable {
    let sql: String
    var parameters = Parameters()
    /// What its answer is asked for; nil for a statement that writes.
    var look: ValueLook?

    init(_ sql: String, _ parameters: Parameters = Parameters(), look: ValueLook? = nil) {
        self.sql = sql
        self.parameters = parameters
        self.look = look
    }
}
