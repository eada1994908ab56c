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
            let place = [file, line.map(String.init), error.position.map(String.init)].compactMap(\.self)
            return "\(place.joined(separator: ":")): error: \(error.message)\(token), of: \(format)"
        }
        guard let position = error.position, !format.contains(where: \.isNewline) else {
            return error.message + token
        }
        let mark = String(repeating: " ", count: position - 1) + "^"
        return [error.message + token, "  " + format, "  " + mark].joined(separator: "\n")
    }
}

extension PredicateFinding.Complaint {
    init(_ error: PredicateTreeError, in format: String) {
        code = error.code.description
        message = error.message
        token = error.token
        position = error.position.map { String(decoding: format.utf8.prefix($0), as: UTF8.self).count + 1 }
    }
}
