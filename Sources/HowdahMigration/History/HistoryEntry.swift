/// One row of the history: changes of one kind to objects of one entity in one transaction.
package struct HistoryEntry: Hashable, Sendable, Codable {
    package let number: Int64
    package let part: Int32
    package let storedAt: String
    /// `save`, `batch`, `other` or `migration`.
    package let origin: String
    /// The stored name of the entity; empty if anything may have changed.
    package let entity: String
    /// `insert`, `update` or `delete`.
    package let kind: String
    /// The stored names of the changed properties; nil if any may have changed.
    package let properties: [String]?
    /// The number of objects.
    package let count: Int
    /// The first of their keys.
    package let ids: [Int64]
    package let author: String?
    package let context: String?
    package let process: String?
}
