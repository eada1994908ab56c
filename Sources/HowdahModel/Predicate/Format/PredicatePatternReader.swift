/// A reader for the pattern of a ``PredicatePattern``, which writes its portable form.
struct PredicatePatternReader {
    private let pattern: [Unicode.Scalar]
    private let options: PredicateTree.Options
    private var position = 0
    private var output = ""
    private var openGroups = 0
    /// Indicates whether a quantifier may follow.
    private var followsAtom = false

    private static let classes: [Unicode.Scalar: String] = [
        "d": "0-9", "w": "A-Za-z0-9_", "s": " \\t\\n\\r\\f\u{0B}",
    ]
    private static let controls: [Unicode.Scalar: String] = ["n": "\\n", "r": "\\r", "t": "\\t", "f": "\\f"]

    init(_ pattern: String, _ options: PredicateTree.Options) {
        self.pattern = Array(pattern.unicodeScalars)
        self.options = options
    }

    private var next: Unicode.Scalar? { position < pattern.count ? pattern[position] : nil }

    private func refused(_ construct: String) -> PredicateTreeError {
        PredicateTreeError(
            .unsupported,
            "MATCHES does not support \(construct). Rewrite the pattern without it, or filter the fetched "
                + "objects in Swift."
        )
    }

    mutating func read() throws(PredicateTreeError) -> String {
        while let scalar = next {
            position += 1
            let couldRepeat = followsAtom
            followsAtom = true
            switch scalar {
            case "\\": try escape()
            case ".": output += "[^\\n\\r\u{85}\u{2028}\u{2029}]"
            case "[": try bracket()
            case "(": try openGroup()
            case ")":
                openGroups -= 1
                guard openGroups >= 0 else { throw refused("a ) without an opening (") }
                output += ")"
            case "|":
                output += "|"
                followsAtom = false
            case "^" where position == 1: followsAtom = false
            case "$" where position == pattern.count: followsAtom = false
            case "^", "$": throw refused("\(scalar) inside the pattern")
            case "*", "+", "?", "{":
                guard couldRepeat else { throw refused("a repetition with nothing before it") }
                try repetition(scalar)
            case "]", "}": throw refused("an unescaped \(scalar)")
            default: literal(scalar)
            }
        }
        guard openGroups == 0 else { throw refused("a ( without a closing )") }
        return output
    }

    private mutating func openGroup() throws(PredicateTreeError) {
        if next == "?" {
            guard position + 1 < pattern.count, pattern[position + 1] == ":" else {
                throw refused("a group that begins with (?")
            }
            position += 2
        }
        openGroups += 1
        guard openGroups <= 64 else { throw refused("more than 64 nested groups") }
        output += "(?:"
        followsAtom = false
    }

    private mutating func literal(_ scalar: Unicode.Scalar) {
        let folded = Folding.folded(String(scalar), options).unicodeScalars.map(Self.escaped)
        output += folded.count == 1 ? folded[0] : "(?:\(folded.joined()))"
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        scalar.value < 0x80 && !scalar.isKeyPart(first: false) && scalar.value > 0x20
            ? "\\\(scalar)" : String(scalar)
    }

    private mutating func escape() throws(PredicateTreeError) {
        guard let scalar = next else { throw refused("a backslash at the end") }
        position += 1
        let lower = scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar
        if let members = Self.classes[lower] {
            output += scalar == lower ? "[\(members)]" : "[^\(members)]"
        } else if let control = Self.controls[scalar] {
            output += control
        } else if scalar.value < 0x80, !scalar.isKeyPart(first: false) {
            literal(scalar)
        } else {
            throw refused("\\\(scalar)")
        }
    }

    /// Reads `{n}`, `{n,}`, `{n,m}` and the one-letter forms; a lazy form matches the same whole strings.
    private mutating func repetition(_ scalar: Unicode.Scalar) throws(PredicateTreeError) {
        output.unicodeScalars.append(scalar)
        if scalar == "{" {
            guard let end = pattern[position...].firstIndex(of: "}") else {
                throw refused(
                    "a { without a "
                        + "closing }")
            }
            let bounds = String(String.UnicodeScalarView(pattern[position..<end]))
                .split(separator: ",", omittingEmptySubsequences: false)
            let numbers = bounds.map { UInt8($0) }
            let isOpen = bounds.count == 2 && bounds[1].isEmpty
            guard bounds.count <= 2, let low = numbers[0], isOpen || numbers.allSatisfy({ $0 ?? 0 >= low }),
                isOpen || !numbers.contains(nil)
            else { throw refused("a repetition other than {n}, {n,} and {n,m} up to 255") }
            output += bounds.joined(separator: ",") + "}"
            position = end + 1
        }
        if next == "?" { position += 1 }
        followsAtom = false
    }

    private mutating func bracket() throws(PredicateTreeError) {
        output += "["
        if next == "^" {
            output += "^"
            position += 1
        }
        let start = position
        while let scalar = next, scalar != "]" {
            position += 1
            switch scalar {
            case "[": throw refused("a class in another class")
            case "&" where next == "&": throw refused("&& in a class")
            case "\\":
                guard let escaped = next else { throw refused("a backslash at the end") }
                position += 1
                if let members = Self.classes[escaped] {
                    output += members
                } else if let control = Self.controls[escaped] {
                    output += control
                } else if escaped.value < 0x80, !escaped.isKeyPart(first: false) {
                    output += "\\\(escaped)"
                } else {
                    throw refused("\\\(escaped) in a class")
                }
            default: try member(scalar)
            }
        }
        guard next == "]", position > start else { throw refused("an empty or unclosed class") }
        position += 1
        output += "]"
    }

    private mutating func member(_ low: Unicode.Scalar) throws(PredicateTreeError) {
        guard next == "-", position + 1 < pattern.count, pattern[position + 1] != "]" else {
            return output += try foldedMember(low)
        }
        let high = pattern[position + 1]
        guard high != "\\", high != "[", low.value <= high.value else {
            throw refused("a range that ends before it begins, or ends with a backslash or [")
        }
        position += 2
        // Folding the ends of a range is right only where all between fold alike.
        let isLetters = low.isASCIILetter && high.isASCIILetter && (low.value & 0x20 == high.value & 0x20)
        let isCaseless = high.value < 0x41
        guard options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive]) || isLetters || isCaseless
        else {
            throw refused("a range of mixed or non-ASCII letters with [c] or [d]")
        }
        output += try foldedMember(low) + "-" + foldedMember(high)
    }

    private func foldedMember(_ scalar: Unicode.Scalar) throws(PredicateTreeError) -> String {
        let folded = Folding.folded(String(scalar), options).unicodeScalars
        guard folded.count == 1, let only = folded.first else {
            throw refused("\(scalar) in a class with [c] or [d]")
        }
        return Self.escaped(only)
    }
}

extension Unicode.Scalar {
    fileprivate var isASCIILetter: Bool { value < 0x80 && properties.isAlphabetic }
}
