import Foundation
import HowdahModel

extension Value {
    /// The spelling of a rule's value in errors. Values of objects are never in errors.
    var ruleText: String {
        switch self {
        case .null: "nil"
        case .bool(let flag): "\(flag)"
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .float(let number): "\(number)"
        case .decimal(let number): "\(number)"
        case .string(let text): "\"\(text)\""
        case .date(let date): date.formatted(.iso8601)
        case .uuid(let uuid): uuid.uuidString
        case .uri(let url): url.absoluteString
        case .data, .composite, .array, .reference: kindName
        }
    }
}
