/// A LIKE pattern of the predicate language (`*`, `?`, `\`) as SQL's (`%`, `_`, `\`).
struct LikePattern {
    let sql: String

    init(_ pattern: String) {
        var sql = ""
        var isEscaped = false
        for character in pattern.unicodeScalars {
            switch character {
            case "\\" where !isEscaped:
                isEscaped = true
                continue
            case "*" where !isEscaped: sql += "%"
            case "?" where !isEscaped: sql += "_"
            case "%", "_", "\\": sql += "\\\(character)"
            default: sql.unicodeScalars.append(character)
            }
            isEscaped = false
        }
        if isEscaped { sql += "\\\\" }
        self.sql = sql
    }
}
