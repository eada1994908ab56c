import PQClient

/// A statement of a mapping's pass.
struct MappedStatement: Sendable {
    let sql: String
    var parameters = Parameters()

    init(_ sql: String, _ parameters: Parameters = Parameters()) {
        self.sql = sql
        self.parameters = parameters
    }
}
