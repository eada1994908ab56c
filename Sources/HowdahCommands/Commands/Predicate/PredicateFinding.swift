import HowdahModel
import HowdahRuntime

/// What was found out about one format.
struct PredicateFinding: Encodable {
    let line: Int?
    let format: String
    /// The format that the tree prints.
    var canonical: String?
    /// The entities whose objects it can be asked of.
    var entities: [String]?
    /// What the database gets.
    var sql: String?
    /// `$1` and following, as SQL spells them.
    var parameters: [String]?
    /// How the database would run it.
    var plan: String?
    /// What was not looked at, and why.
    var note: String?
    /// Valid, and probably not meant.
    var warnings: [Complaint]?
    var error: Complaint?

    /// What is wrong.
    struct Complaint: Encodable {
        let code: String
        let message: String
        /// The character of the format, from 1.
        var position: Int?
        var token: String?
    }

    init(_ line: FormatLine) {
        self.line = line.number
        format = line.format
    }
}

extension PredicateFinding {
    /// What is wrong: in a file as compilers write it, alone with the format and a mark below the place.
    func complaintText(file: String?) -> String? {
        error.map { text(of: $0, as: "error", file) }
    }

    /// The warnings: in a file as compilers write them, alone without the format.
    func warningTexts(file: String?) -> [String] {
        (warnings ?? []).map { file == nil ? $0.message : text(of: $0, as: "warning", file) }
    }

    private func text(of error: Complaint, as kind: String, _ file: String?) -> String {
        let token = error.token.map { $0.isEmpty ? " (at the end)" : " (at \"\($0)\")" } ?? ""
        if let file {
            let numbers = [file, line.map(String.init), error.position.map(String.init)].compactMap(\.self)
            let (shown, _) = Self.excerpt(of: format, around: error.position ?? 1)
            // A message without a token ends with its own full stop.
            let of = token.isEmpty ? " (of: \(shown))" : "\(token), of: \(shown)"
            return "\(numbers.joined(separator: ":")): \(kind): \(error.message)\(of)"
        }
        guard let position = error.position, !format.contains(where: \.isNewline) else {
            return error.message + token
        }
        let (shown, place) = Self.excerpt(of: format, around: position)
        let mark = String(repeating: " ", count: place - 1) + "^"
        return [error.message + token, "  " + shown, "  " + mark].joined(separator: "\n")
    }

    /// As much of a format as a reader can take in, and where a character of it is there, from 1.
    private static func excerpt(of format: String, around position: Int) -> (text: String, position: Int) {
        let (length, before) = (240, 80)
        guard format.count > length else { return (format, position) }
        let skipped = max(0, position - 1 - before)
        let rest = format.dropFirst(skipped)
        let text =
            (skipped > 0 ? "…" : "") + rest.prefix(length) + (rest.dropFirst(length).isEmpty ? "" : "…")
        return (text, position - skipped + (skipped > 0 ? 1 : 0))
    }
}

extension PredicateFinding.Complaint {
    /// - Parameter keyPaths: those of the predicate, where the format could be read.
    init(_ error: PredicateTreeError, in format: String, _ keyPaths: [[String]]) {
        code = error.code.description
        message = error.message
        token = error.token
        position =
            error.position.map { String(decoding: format.utf8.prefix($0), as: UTF8.self).count + 1 }
            ?? error.token.flatMap { Self.place(of: $0, in: format) }
            ?? Self.named(by: error.message, keyPaths).flatMap { Self.place(of: $0, in: format) }
    }

    /// A warning about a word of a format.
    init(warning message: String, about token: String, in format: String) {
        code = "unknownEntity"
        self.message = message
        position = Self.place(of: token, in: format)
    }

    /// What has nothing to do with a place in the format, such as an entity that the model does not have.
    init(_ error: FetchError) {
        code = error.code.description
        message = error.message
    }

    /// The text of the key path that a message is about: the only one, or the longest whose end it names, as in
    /// "Team.title" or "people.age".
    private static func named(by message: String, _ keyPaths: [[String]]) -> String? {
        var best: (text: String, length: Int)?
        for path in keyPaths {
            for start in path.indices {
                let part = path[start...].joined(separator: ".")
                let isNamed = words(part, in: message).contains { range in
                    let before = message[..<range.lowerBound].last
                    return before == nil || before == "." || message[..<range.lowerBound].hasSuffix(": ")
                        || path.count > 1 && start == 0
                }
                guard isNamed else { continue }
                if part.count > best?.length ?? 0 { best = (path.joined(separator: "."), part.count) }
                break
            }
        }
        return best?.text ?? (Set(keyPaths).count == 1 ? keyPaths[0].joined(separator: ".") : nil)
    }

    /// Where a text of the format stands first, as a word of its own.
    private static func place(of token: String, in format: String) -> Int? {
        words(token, in: format).first.map {
            format.distance(from: format.startIndex, to: $0.lowerBound) + 1
        }
    }

    private static func words(_ word: String, in text: String) -> [Range<String.Index>] {
        func isPart(_ character: Character?) -> Bool {
            character.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
        }
        return text.ranges(of: word).filter { range in
            !isPart(text[..<range.lowerBound].last) && !isPart(text[range.upperBound...].first)
        }
    }
}
