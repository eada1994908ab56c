import Howdah

struct ProjectDocument: Codable {
    let key: String
    let title: String
    let issueCount: Int64

    init(_ project: Project) {
        (key, title, issueCount) = (project.key, project.title, project.issueCount)
    }
}

/// A page of a list. The next one is in the header `Link`.
struct Page<Item: Codable & Sendable>: Codable, Sendable {
    let items: [Item]
}
