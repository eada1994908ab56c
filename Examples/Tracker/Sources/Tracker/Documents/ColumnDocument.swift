import Howdah

/// A column of a board, with its issues from top to bottom.
struct ColumnDocument: Codable, Equatable {
    struct Card: Codable, Equatable {
        let id: String
        let number: Int64
        let title: String
        let priority: Int16
        let assignee: String?
    }

    let status: String
    let issues: [Card]

    init(_ column: Column) {
        status = column.status
        issues = column.issues.map { issue in
            Card(
                id: issue.objectID.pathComponent, number: issue.number, title: issue.title,
                priority: issue.priority, assignee: issue.assignee?.login)
        }
    }
}
