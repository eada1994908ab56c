extension ModelWarnings {
    /// A default that the attribute's own rules refuse: an object that is inserted and left alone cannot be saved.
    mutating func checkRules(of attribute: AttributeDescription, path: String, in entity: EntityDescription) {
        guard let value = attribute.defaultValue else { return }
        for broken in attribute.brokenRules(by: value) {
            warn(
                .invalidDefaultForRules, entity.name, ([path] + broken.path).joined(separator: "."),
                "The default value \(broken.text), so saving a new object with it fails. Change the default "
                    + "or the rule.")
        }
    }
}

extension AttributeDescription {
    /// The rules that a value breaks, each with the names of the elements that lead to it.
    fileprivate func brokenRules(by value: Value) -> [(path: [String], text: String)] {
        if case .composite(let values) = value, let composite = type.composite {
            return zip(composite.elements, values).flatMap { element, value in
                element.brokenRules(by: value).map { ([element.name] + $0.path, $0.text) }
            }
        }
        var texts: [String] = []
        if let maximum, value.isGreater(than: maximum) { texts.append("exceeds the maximum") }
        if let minimum, minimum.isGreater(than: value) { texts.append("is below the minimum") }
        if case .string(let text) = value {
            // In UTF-16 units, as the rules count.
            let length = text.utf16.count
            if let maximumLength, length > maximumLength {
                texts.append("is longer than the maximum length of \(maximumLength)")
            }
            if let minimumLength, length < minimumLength {
                texts.append("is shorter than the minimum length of \(minimumLength)")
            }
            if let regex, let pattern = try? ValidationPattern(regex) {
                do throws(PatternBudgetExceeded) {
                    if try !pattern.matches(text) { texts.append("does not match the pattern") }
                } catch {
                    texts.append("takes too long to match against the pattern")
                }
            }
        }
        return texts.map { ([], $0) }
    }
}
