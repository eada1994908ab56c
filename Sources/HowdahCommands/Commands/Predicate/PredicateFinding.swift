import HowdahModel

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
        guard let error else { return nil }
        let token = error.token.map { $0.isEmpty ? " (at the end)" : " (at \"\($0)\")" } ?? ""
        if let file {
            let numbers = [file, line.map(String.init), error.position.map(String.init)].compactMap(\.self)
            let (shown, _) = Self.excerpt(of: format, around: error.position ?? 1)
            return "\(numbers.joined(separator: ":")): error: \(error.message)\(token), of: \(shown)"
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
    init(_ error: PredicateTreeError, in format: String) {
        code = error.code.description
        message = error.message
        token = error.token
        position =
            error.position.map { String(decoding: format.utf8.prefix($0), as: UTF8.self).count + 1 }
            ?? error.token.flatMap { Self.place(of: $0, in: format) }
    }

    /// Where a name that the model does not have stands first, as a word of its own.
    private static func place(of token: String, in format: String) -> Int? {
        func isPart(_ character: Character?) -> Bool {
            character.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
        }
        return format.ranges(of: token).first { range in
            !isPart(format[..<range.lowerBound].last) && !isPart(format[range.upperBound...].first)
        }.map { format.distance(from: format.startIndex, to: $0.lowerBound) + 1 }
    }
}
