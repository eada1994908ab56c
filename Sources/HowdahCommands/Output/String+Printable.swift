extension String {
    /// The text on one line, with what would steer a terminal or turn the direction of writing spelled out.
    var printable: String {
        guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            if scalar.isUnprintable {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The same for a text of several lines, in which a tab is room.
    var printableLines: String {
        split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in
                line.split(separator: "\t", omittingEmptySubsequences: false).joined(separator: "    ")
                    .printable
            }
            .joined(separator: "\n")
    }
}

extension Unicode.Scalar {
    fileprivate var isUnprintable: Bool {
        switch self {
        case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}", "\u{2028}", "\u{2029}": true
        default: properties.generalCategory == .control
        }
    }
}
