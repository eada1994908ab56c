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
}
