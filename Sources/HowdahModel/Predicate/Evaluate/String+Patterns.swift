extension String {
    /// Whether the UTF-8 of `part` occurs in the string's, which is to say its scalars do; an empty part does.
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

    /// Whether the whole string follows a pattern of LIKE: `*` any characters, `?` one, `\` takes the next as it is.
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

/// What a pattern of LIKE consists of; the database's pattern is made of the same parts.
package enum LikePattern: Hashable, Sendable {
    case scalar(Unicode.Scalar)
    /// `?`
    case one
    /// `*`
    case anyNumber

    /// The parts of a pattern; a backslash at the end stands for itself.
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
