import Foundation
import Howdah

/// A merge patch of an issue (RFC 7396): keys that are missing stay, and null clears.
struct IssuePatch: Decodable, Sendable {
    var title: Patched<String>
    var text: Patched<String>
    var status: Patched<String>
    var priority: Patched<Int16>
    var dueOn: Patched<Date>
    var estimate: Patched<EstimateDocument>
    var assignee: Patched<String>

    private enum CodingKeys: CodingKey { case title, text, status, priority, dueOn, estimate, assignee }

    init(from decoder: any Decoder) throws {
        let body = try decoder.container(keyedBy: CodingKeys.self)
        title = try Patched(body, .title)
        text = try Patched(body, .text)
        status = try Patched(body, .status)
        priority = try Patched(body, .priority)
        dueOn = try Patched(body, .dueOn)
        estimate = try Patched(body, .estimate)
        assignee = try Patched(body, .assignee)
    }

    func apply(to issue: Issue, for user: Principal, in context: ManagedObjectContext) throws {
        if let title = try title.value("title") { issue.title = title }
        if let text = try text.value("text") { issue.text = text }
        if let priority = try priority.value("priority") { issue.priority = priority }
        if case .set(let date) = dueOn { issue.dueOn = date }
        if case .set(let value) = estimate {
            issue.estimate = try value?.composite
        }
        if case .set(let login) = assignee {
            issue.assignee = try login.map { try context.user(login: $0, for: user) }
        }
        if let status = try status.value("status"), status != issue.status { try issue.move(to: status) }
    }

    /// Returns the names of the values that differ from those of an issue.
    func differences(from issue: IssueDocument) -> [String] {
        [
            ("assignee", assignee.differs(from: issue.assignee)), ("dueOn", dueOn.differs(from: issue.dueOn)),
            ("estimate", estimate.differs(from: issue.estimate)),
            ("priority", priority.differs(from: issue.priority)),
            ("status", status.differs(from: issue.status)),
            ("text", text.differs(from: issue.text)), ("title", title.differs(from: issue.title)),
        ].filter(\.1).map(\.0)
    }
}

/// A key of a merge patch that may be null.
enum Patched<Value: Decodable & Sendable>: Sendable {
    case kept
    case set(Value?)

    /// A Boolean value that indicates whether the patch has the key.
    var isSet: Bool { if case .set = self { true } else { false } }

    /// Returns the value of a property that every object has; nil if the patch keeps it.
    ///
    /// - Throws: ``ProblemDetails`` with status 422 for null.
    func value(_ name: String) throws -> Value? {
        guard case .set(let value) = self else { return nil }
        guard let value else {
            throw ProblemDetails(
                422, "required", "The value of '\(name)' is null. Send a value, or leave it out.",
                at: "/\(name)")
        }
        return value
    }

    init<Key: CodingKey>(_ body: KeyedDecodingContainer<Key>, _ key: Key) throws {
        self = body.contains(key) ? .set(try body.decodeIfPresent(Value.self, forKey: key)) : .kept
    }
}

extension Patched where Value: Equatable {
    /// Indicates whether the patch has another value than this one.
    func differs(from current: Value?) -> Bool {
        guard case .set(let value) = self else { return false }
        return value != current
    }
}
