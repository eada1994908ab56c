extension String {
    /// Returns true if the string's UTF-8 contains that of `part`, and thus its scalars; true for an empty
    /// part.
    func containsBytes(of part: String) -> Bool {
        let text = Array(utf8)
        let part = Array(part.utf8)
        guard let first = part.first else { return true }
        guard part.count <= text.count else { return false }
        for start in 0...(text.count - part.count) where text[start] == first {
            if text[start...].starts(with: part) { return true }
        }
        return false
    }

    /// Returns true if the whole string matches a pattern of LIKE.
    ///
    /// `*` stands for any characters, `?` for one. `\` makes the next one literal.
    func isLike(_ pattern: String) -> Bool {
        let text = Array(unicodeScalars)
        let pattern = LikePattern.parts(of: pattern)
        var (position, part) = (0, 0)
        var (retryPosition, retryPart) = (0, -1)
        while position < text.count {
            if part < pattern.count, pattern[part] == .anyNumber {
                (retryPosition, retryPart) = (position, part)
                part += 1
            } else if part < pattern.count, pattern[part] == .one || pattern[part] == .scalar(text[position])
            {
                position += 1
                part += 1
            } else if retryPart >= 0 {
                retryPosition += 1
                (position, part) = (retryPosition, retryPart + 1)
            } else {
                return false
            }
        }
        return pattern[part...].allSatisfy { $0 == .anyNumber }
    }
}

/// One part of a pattern of LIKE; the database's pattern has the same parts.
package enum LikePattern: Hashable, Sendable {
    case scalar(Unicode.Scalar)
    /// `?`
    case one
    /// `*`
    case anyNumber

    /// Returns the parts of a pattern; a backslash at the end stands for itself.
    package static func parts(of pattern: String) -> [LikePattern] {
        var parts: [LikePattern] = []
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            switch scalar {
            case _ where isEscaped:
                parts.append(.scalar(scalar))
                isEscaped = false
            case "\\": isEscaped = true
            case "?": parts.append(.one)
            case "*": parts.append(.anyNumber)
            default: parts.append(.scalar(scalar))
            }
        }
        return isEscaped ? parts + [.scalar("\\")] : parts
    }
}
