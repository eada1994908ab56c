import HowdahModel

/// The bounds, lengths and patterns of one attribute, and of the elements of a composite; nil breaks none.
///
/// The store has CHECKs for all but patterns; here every broken rule is found at once, and with its object.
struct AttributeRules {
    private let attribute: AttributeDescription
    private let path: String

    struct Broken {
        let path: String
        let code: Int
        let message: String
    }

    init(_ attribute: AttributeDescription, path: String? = nil) {
        self.attribute = attribute
        self.path = path ?? attribute.name
    }

    /// The rules that a value breaks. The codes are Core Data's.
    func broken(by value: Value) -> [Broken] {
        switch value {
        case .null: return []
        case .composite(let elements):
            guard let description = attribute.type.composite else { return [] }
            return zip(description.elements, elements).flatMap { element, value in
                let path = "\(path).\(element.name)"
                if value.isNull, !element.isOptional, element.isStored {
                    return [
                        Broken(
                            path: path, code: ValidationIssue.missingMandatory,
                            message: "is required and was not set")
                    ]
                }
                return AttributeRules(element, path: path).broken(by: value)
            }
        case .string(let text): return broken(by: text)
        default: return brokenBounds(of: value)
        }
    }

    private func brokenBounds(of value: Value) -> [Broken] {
        let isDate = if case .date = value { true } else { false }
        var broken: [Broken] = []
        if let maximum = attribute.maximum, value.isGreater(than: maximum) {
            broken.append(
                Broken(path: path, code: isDate ? 1630 : 1610, message: "is beyond the model's maximum"))
        }
        if let minimum = attribute.minimum, minimum.isGreater(than: value) {
            broken.append(
                Broken(path: path, code: isDate ? 1640 : 1620, message: "is below the model's minimum"))
        }
        return broken
    }

    private func broken(by text: String) -> [Broken] {
        // As NSString counts, whose rules these are.
        let length = text.utf16.count
        var broken: [Broken] = []
        if let maximum = attribute.maximumLength, length > maximum {
            broken.append(
                Broken(path: path, code: 1660, message: "is longer than the model's maximum length"))
        }
        if let minimum = attribute.minimumLength, length < minimum {
            broken.append(
                Broken(path: path, code: 1670, message: "is shorter than the model's minimum length"))
        }
        if let regex = attribute.regex, (try? PredicatePattern(regex).matches(text)) != true {
            broken.append(Broken(path: path, code: 1680, message: "does not match the model's pattern"))
        }
        return broken
    }
}
