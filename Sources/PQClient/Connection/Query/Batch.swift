/// Statements that travel together: one round trip for all of them.
public struct Batch: Sendable {
    struct Entry: Sendable {
        let sql: String
        let parameters: Parameters
        let cached: Bool
    }

    var entries: [Entry] = []

    /// An empty batch.
    public init() {}

    /// How many statements there are.
    public var count: Int { entries.count }

    /// Appends one statement with parameters `$1`, `$2`, …; COPY is not possible.
    public mutating func add(_ sql: String, _ parameters: Parameters = Parameters(), cached: Bool = true) {
        entries.append(Entry(sql: sql, parameters: parameters, cached: cached))
    }
}
