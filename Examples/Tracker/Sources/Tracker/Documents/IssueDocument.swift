import Foundation
import Howdah

/// An issue as clients see it: the values of its row, whose version is the `ETag`.
struct IssueDocument: Codable, Equatable {
    let id: String
    let version: String?
    let number: Int64
    let title: String
    let text: String
    let status: String
    let priority: Int16
    let estimate: EstimateDocument?
    let dueOn: Date?
    let createdAt: Date
    let author: String?
    let assignee: String?

    init(_ issue: Issue) {
        id = issue.objectID.pathComponent
        version = issue.version?.description
        number = issue.number
        title = issue.title
        text = issue.text
        status = issue.status
        priority = issue.priority
        estimate = issue.estimate.map { EstimateDocument(value: $0.value, unit: $0.unit) }
        dueOn = issue.dueOn
        createdAt = issue.createdAt
        author = issue.author?.login
        assignee = issue.assignee?.login
    }
}

struct EstimateDocument: Codable, Equatable, Sendable {
    let value: Double
    let unit: String

    /// The value for an issue.
    ///
    /// - Throws: ``ProblemDetails`` with status 422 if the unit is too long.
    var composite: Estimate {
        get throws {
            guard unit.unicodeScalars.count <= 20 else {
                throw ProblemDetails(
                    422, "tooLong", "The unit is longer than 20 characters. Shorten it.", at: "/estimate/unit"
                )
            }
            return Estimate(unit: unit, value: value)
        }
    }
}
