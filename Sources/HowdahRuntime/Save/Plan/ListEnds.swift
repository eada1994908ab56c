import PQClient

/// Finds the ends of ordered lists in the store, so that appending loads no members.
struct ListEnds {
    private let transaction: SaveTransaction

    init(_ transaction: SaveTransaction) { self.transaction = transaction }

    /// Returns the greatest number of each owner's members, by the owner's key. Owners without members have
    /// none.
    func last(_ relationship: RelationshipLayout, _ owners: [Int64]) throws -> [Int64: Int64] {
        let (table, column, order): (String, String, String?) =
            switch relationship.storage {
            case .inverse(let columns), .foreignKey(let columns):
                (columns.table.name, columns.column, columns.orderColumn)
            case .join(let columns): (columns.table, columns.ownColumn, columns.orderColumn)
            case .memory: ("", "", nil)
            }
        guard let order else { return [:] }
        var parameters = Parameters()
        parameters.append(owners)
        // A look at the end of the index for each owner, however many members it has.
        let result = try transaction.query(
            "SELECT k, (SELECT pg_catalog.max(t.\(order)) FROM \(table) t WHERE t.\(column) = k) FROM pg_catalog.unnest($1) AS k",
            parameters)
        var numbers: [Int64: Int64] = [:]
        result.forEachRow { row in
            if !row[1].isNull { numbers[row[0].int64] = row[1].int64 }
        }
        return numbers
    }
}
