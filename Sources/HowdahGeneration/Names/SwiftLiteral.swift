/// Values as source code.
package enum SwiftLiteral {
    /// A string literal on one line.
    package static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            default:
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                    result += "\\u{\(String(scalar.value, radix: 16))}"
                default: result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + "\""
    }

    /// A string literal of many lines that takes nothing in `text` for an escape.
    static func raw(_ text: String) -> [String] {
        var (longest, run) = (0, 0)
        for character in text.utf8 {
            run = character == UInt8(ascii: "#") ? run + 1 : 0
            longest = max(longest, run)
        }
        let hashes = String(repeating: "#", count: longest + 1)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return [hashes + "\"\"\""] + lines.map(String.init) + ["\"\"\"" + hashes]
    }

    /// A dictionary literal, in the order of its keys.
    static func dictionary(_ dictionary: [String: String]) -> String {
        let keys = dictionary.keys.sorted { $0.unicodeScalars.lexicographicallyPrecedes($1.unicodeScalars) }
        return "[\(keys.map { "\(string($0)): \(string(dictionary[$0] ?? ""))" }.joined(separator: ", "))]"
    }
}
