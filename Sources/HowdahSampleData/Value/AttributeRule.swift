import Foundation
import HowdahModel

/// Which values one attribute of the model allows, besides nil.
struct AttributeRule: Sendable {
    let attribute: AttributeDescription
    /// The regular expression; nil where there is none, or none that can be read.
    let pattern: PredicatePattern?
    let hasUnreadablePattern: Bool

    init(_ attribute: AttributeDescription) {
        self.attribute = attribute
        pattern = attribute.regex.flatMap { try? PredicatePattern($0) }
        hasUnreadablePattern = attribute.regex != nil && pattern == nil
    }

    func allows(_ value: Value) -> Bool {
        guard attribute.type.accepts(value), isWithinBounds(value) else { return false }
        if case .string(let text) = value, !allows(text) { return false }
        return attribute.allowedValues.isEmpty || attribute.allowedValues.contains(value)
    }

    private func isWithinBounds(_ value: Value) -> Bool {
        if attribute.minimum == nil, attribute.maximum == nil { return true }
        // PostgreSQL puts NaN above every number, Swift nowhere: beside bounds it means two things.
        if value.isNotANumber { return false }
        if let minimum = attribute.minimum, minimum.isGreater(than: value) { return false }
        if let maximum = attribute.maximum, value.isGreater(than: maximum) { return false }
        return true
    }

    private func allows(_ text: String) -> Bool {
        let length = text.utf16.count
        guard length >= attribute.minimumLength ?? 0, length <= attribute.maximumLength ?? .max,
            !hasUnreadablePattern
        else { return false }
        return pattern?.matches(text) ?? true
    }
}

extension Value {
    var isNotANumber: Bool {
        switch self {
        case .double(let number): number.isNaN
        case .float(let number): number.isNaN
        case .decimal(let number): number.isNaN
        default: false
        }
    }
}
