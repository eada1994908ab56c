import Foundation
package import HowdahModel

/// The bounds, lengths and patterns of one attribute, and of the elements of a composite; nil breaks none.
///
/// The store has CHECKs for nearly all of them. Here all broken rules are found at once, with their objects.
package struct AttributeRules: Sendable {
    private static let choicesNamed = 10

    private let attribute: AttributeDescription
    private let path: String
    private let elements: [AttributeRules]
    private let pattern: ValidationPattern?
    private let allowedValues: Set<Value>

    package struct Broken {
        package let path: String
        let code: Int
        package let message: String
        /// A Boolean value that indicates whether the value was not checked, because that took too long.
        var isUndecided = false
    }

    init(_ attribute: AttributeDescription, path: String? = nil) {
        let path = path ?? attribute.name
        self.attribute = attribute
        self.path = path
        elements = (attribute.type.composite?.elements ?? []).map { element in
            AttributeRules(element, path: "\(path).\(element.name)")
        }
        // A pattern that cannot be read was refused with the model.
        pattern = attribute.regex.flatMap { try? ValidationPattern($0) }
        allowedValues = Set(attribute.allowedValues.map(\.normalized))
    }

    /// A Boolean value that indicates whether no value can break a rule; composites may have rules in their
    /// elements.
    var isEmpty: Bool {
        elements.isEmpty && attribute.minimum == nil && attribute.maximum == nil
            && attribute.minimumLength == nil && attribute.maximumLength == nil && pattern == nil
            && allowedValues.isEmpty
    }

    /// Returns the rules that a value breaks. The codes are Core Data's.
    ///
    /// - Parameter matching: Indicates whether patterns are checked, too.
    package func broken(by value: Value, matching: Bool = true) -> [Broken] {
        switch value {
        case .null: return []
        case .composite(let values):
            return zip(elements, values).flatMap { element, value in
                if value.isNull, !element.attribute.isOptional, element.attribute.isStored {
                    return [
                        Broken(
                            path: element.path, code: 1570,
                            message: "is required and has no value. Give it a value.")
                    ]
                }
                return element.broken(by: value, matching: matching)
            }
        case .string(let text):
            return brokenLength(of: text) + (matching ? brokenPattern(by: text) : []) + brokenChoice(value)
        default: return brokenBounds(of: value) + brokenChoice(value)
        }
    }

    private func brokenChoice(_ value: Value) -> [Broken] {
        if allowedValues.isEmpty || allowedValues.contains(value.normalized) { return [] }
        return [
            Broken(
                path: path, code: 1550,
                message: "is not one of the model's allowed values (\(choices)). Give it one of them.")
        ]
    }

    /// The first allowed values, in the order of the model.
    private var choices: String {
        let texts = attribute.allowedValues.prefix(Self.choicesNamed).map(\.ruleText)
        let more = attribute.allowedValues.count - texts.count
        return texts.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }

    private func brokenBounds(of value: Value) -> [Broken] {
        let isDate = if case .date = value { true } else { false }
        if value.isNotANumber, attribute.minimum != nil || attribute.maximum != nil {
            let code = attribute.maximum == nil ? 1620 : 1610
            return [
                Broken(
                    path: path, code: code,
                    message: "is NaN, and the model's bounds need a number. Give it a number.")
            ]
        }
        var broken: [Broken] = []
        if let maximum = attribute.maximum, value.isGreater(than: maximum) {
            broken.append(
                Broken(
                    path: path, code: isDate ? 1630 : 1610,
                    message: "exceeds the model's maximum of \(maximum.ruleText). Give it a smaller value."))
        }
        if let minimum = attribute.minimum, minimum.isGreater(than: value) {
            broken.append(
                Broken(
                    path: path, code: isDate ? 1640 : 1620,
                    message: "is below the model's minimum of \(minimum.ruleText). Give it a larger value."))
        }
        return broken
    }

    private func brokenLength(of text: String) -> [Broken] {
        // As NSString counts, whose rules these are.
        let length = text.utf16.count
        var broken: [Broken] = []
        if let maximum = attribute.maximumLength, length > maximum {
            broken.append(
                Broken(
                    path: path, code: 1660,
                    message: "is longer than the model's maximum length of \(maximum). Shorten it."))
        }
        if let minimum = attribute.minimumLength, length < minimum {
            broken.append(
                Broken(
                    path: path, code: 1670,
                    message:
                        "is shorter than the model's minimum length of \(minimum). Give it a longer text."
                ))
        }
        return broken
    }

    private func brokenPattern(by text: String) -> [Broken] {
        guard let pattern, let regex = attribute.regex else { return [] }
        do throws(PatternBudgetExceeded) {
            if try pattern.matches(text) { return [] }
            return [
                Broken(
                    path: path, code: 1680,
                    message: "does not match the model's pattern \(regex). Give it a text that matches.")
            ]
        } catch {
            return [
                Broken(
                    path: path, code: 1680,
                    message:
                        "could not be checked, because the model's pattern \(regex) takes too long for this value. "
                        + "Simplify the regular expression.",
                    isUndecided: true)
            ]
        }
    }
}

extension Value {
    /// A Boolean value that indicates whether this is NaN, which is neither within nor beyond any bounds.
    fileprivate var isNotANumber: Bool {
        switch self {
        case .double(let number): number.isNaN
        case .float(let number): number.isNaN
        case .decimal(let number): number.isNaN
        default: false
        }
    }
}
