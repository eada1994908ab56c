import Foundation
import PQClient

/// An issue as clients see it, with the keys of the tracker's `IssueDocument`.
struct IssueRow: Encodable {
    struct Estimate: Encodable {
        let value: Double
        let unit: String
    }

    struct Page: Encodable {
        let items: [IssueRow]
    }

    let id: String
    let version: String
    let number: Int64
    let title: String
    let text: String
    let status: String
    let priority: Int16
    let estimate: Estimate?
    let dueOn: Date?
    let createdAt: Date
    let author: String?
    let assignee: String?

    /// The columns that `init` reads, of an issue `i` and of the users `a` and `b`.
    static let columns = """
        i._id, i._version, i.number, i.title, i.text, i.state, i.priority, i.estimate_value, i.estimate_unit, i.due_on, \
        i.created_at, a.login, b.login
        """
    static let users = #"LEFT JOIN "user" a ON a._id = i.author LEFT JOIN "user" b ON b._id = i.assignee"#

    init(_ row: Row) {
        func value<T>(_ place: Int, _ read: (Cell) -> T) -> T? { row[place].isNull ? nil : read(row[place]) }
        id = "Issue-p\(row[0].int64)"
        version = "r\(row[1].int64)"
        number = row[2].int64
        title = row[3].string()
        text = row[4].string()
        status = row[5].string()
        priority = row[6].int16
        estimate = value(7, \.double).map { Estimate(value: $0, unit: row[8].string()) }
        dueOn = value(9, \.date)
        createdAt = row[10].date
        author = value(11) { $0.string() }
        assignee = value(12) { $0.string() }
    }

    var tag: String { "\"\(version)\"" }

    /// Returns JSON with the options of the tracker.
    static func json(_ document: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return try encoder.encode(document)
    }
}
