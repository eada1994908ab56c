import HowdahModel

extension LikePattern {
    /// The pattern as SQL's LIKE with a backslash as its escape character.
    static func sql(of pattern: String) -> String {
        var sql = ""
        for part in parts(of: pattern) {
            switch part {
            case .anyNumber: sql += "%"
            case .one: sql += "_"
            case .scalar("%"), .scalar("_"), .scalar("\\"):
                if case .scalar(let scalar) = part { sql += "\\\(scalar)" }
            case .scalar(let scalar): sql.unicodeScalars.append(scalar)
            }
        }
        return sql
    }

    /// Whether a pattern begins with a character that stands for itself, in SQL too.
    static func hasPrefix(_ pattern: String) -> Bool {
        guard case .scalar(let first)? = parts(of: pattern).first else { return false }
        return first != "%" && first != "_" && first != "\\"
    }

    /// What the matches of a pattern in SQL begin with, up to its first special character.
    ///
    /// Taken from the pattern as it is compared: folded, the beginning alone could be another one.
    static func prefix(ofSQL pattern: String) -> String {
        "pg_catalog.substring(\(pattern), '^[^%_\\\\]*')"
    }
}
