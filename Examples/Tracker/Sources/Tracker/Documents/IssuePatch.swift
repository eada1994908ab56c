import Foundation
import Howdah

/// A merge patch of an issue (RFC 7396): keys that are missing stay, and null clears.
struct IssuePatch: Decodable {
    var title: String?
    var text: String?
    var status: String?
    var priority: Int16?
    var dueOn: Patched<Date>
    var estimate: Patched<EstimateDocument>
    var assignee: Patched<String>

    private enum CodingKeys: CodingKey { case title, text, status, priority, dueOn, estimate, assignee }

    init(from decoder: any Decoder) throws {
        let body = try decoder.container(keyedBy: CodingKeys.self)
        title = try body.decodeIfPresent(String.self, forKey: .title)
        text = try body.decodeIfPresent(String.self, forKey: .text)
        status = try body.decodeIfPresent(String.self, forKey: .status)
        priority = try body.decodeIfPresent(Int16.self, forKey: .priority)
        dueOn = try Patched(body, .dueOn)
        estimate = try Patched(body, .estimate)
        assignee = try Patched(body, .assignee)
    }

    func apply(to issue: Issue, for user: Principal, in context: ManagedObjectContext) throws {
        if let title { issue.title = title }
        if let text { issue.text = text }
        if let priority { issue.priority = priority }
        if case .set(let date) = dueOn { issue.dueOn = date }
        if case .set(let value) = estimate {
            issue.estimate = value.map { Estimate(unit: $0.unit, value: $0.value) }
        }
        if case .set(let login) = assignee {
            issue.assignee = try login.map { try context.user(login: $0, for: user) }
        }
        if let status, status != issue.status { try issue.move(to: status) }
    }
}

/// A key of a merge patch that may be null.
enum Patched<Value: Decodable> {
    case kept
    case set(Value?)

    init<Key: CodingKey>(_ body: KeyedDecodingContainer<Key>, _ key: Key) throws {
        self = body.contains(key) ? .set(try body.decodeIfPresent(Value.self, forKey: key)) : .kept
    }
}
