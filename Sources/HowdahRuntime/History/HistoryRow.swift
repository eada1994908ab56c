import Foundation
import HowdahModel
import PQClient

/// One row of the history.
struct HistoryRow: Sendable {
    let number: Int64
    let part: Int32
    let storedAt: Date
    let origin: HistoryOrigin
    let entity: String
    let kind: HistoryChangeType
    let properties: [String]?
    let ids: [Int64]
    let tombstones: String?
    let author: String?
    let context: String?
    let process: String?

    /// Reads the columns of a row from `first` on.
    init(_ row: Row, from first: Int) throws {
        func text(_ column: Int) -> String? {
            row[first + column].isNull ? nil : row[first + column].string()
        }
        number = row[first].int64
        part = row[first + 1].int32
        storedAt = row[first + 2].date
        guard let origin = HistoryOrigin(rawValue: row[first + 3].int16),
            let kind = HistoryChangeType(rawValue: row[first + 5].int16)
        else {
            throw HistoryError(
                .database,
                "A row of the history has an unknown origin or kind. A newer version of the library wrote it: use that "
                    + "version.")
        }
        self.origin = origin
        self.kind = kind
        entity = row[first + 4].string()
        properties = row[first + 6].isNull ? nil : try row[first + 6].array { $0.string() }
        ids = try row[first + 7].array { $0.int64 }
        tombstones = row[first + 8].isNull ? nil : row[first + 8].jsonb()
        author = text(9)
        context = text(10)
        process = text(11)
    }
}
