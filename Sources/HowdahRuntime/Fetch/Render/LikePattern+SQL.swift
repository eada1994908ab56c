import HowdahModel

extension LikePattern {
    /// Returns the pattern for SQL's LIKE with a backslash as its escape character, before it is folded.
    ///
    /// - Parameter options: The folding. If it removes a combining mark, a backslash does not escape that
    ///   mark.
    static func sql(of pattern: String, folded options: PredicateTree.Options) -> String {
        var sql = ""
        for part in parts(of: escapes(pattern, before: options)) {
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

    private static func escapes(_ pattern: String, before options: PredicateTree.Options) -> String {
        guard options.folding.contains(.diacriticInsensitive), pattern.utf8.contains(UInt8(ascii: "\\"))
        else { return pattern }
        var scalars = String.UnicodeScalarView()
        var isEscape = false
        for scalar in pattern.unicodeScalars {
            if isEscape, Folding.marks.contains(scalar.value) { continue }
            isEscape = !isEscape && scalar == "\\"
            scalars.append(scalar)
        }
        return String(scalars)
    }

    /// Returns a pattern that only the server knows, such as a column, for SQL's LIKE with a backslash as its
    /// escape character.
    ///
    /// A backslash keeps its meaning for any next character. One at the end stands for itself.
    static func sql(ofSQL pattern: String) -> String {
        let plain =
            #"pg_catalog.translate(pg_catalog.replace(pg_catalog.replace(x.a, '%', E'\\%'), '_', E'\\_'), '*?', '%_')"#
        let part =
            #"CASE p.m[1] WHEN '*' THEN '%' WHEN '?' THEN '_' WHEN '%' THEN E'\\%' WHEN '_' THEN E'\\_' "#
            + #"WHEN E'\\' THEN E'\\\\' ELSE p.m[1] END"#
        let escaped =
            "(SELECT pg_catalog.string_agg(\(part), '' ORDER BY p.n) "
            + #"FROM pg_catalog.regexp_matches(x.a, E'\\\\.|.', 'g') WITH ORDINALITY AS p(m, n))"#
        return SQLArithmetic.fenced(
            [pattern], #"CASE WHEN pg_catalog.strpos(x.a, E'\\') = 0 THEN \#(plain) ELSE \#(escaped) END"#)
    }

    /// Returns true if a pattern begins with a character that stands for itself, in SQL too.
    static func hasPrefix(_ pattern: String) -> Bool {
        guard case .scalar(let first)? = parts(of: pattern).first else { return false }
        return first != "%" && first != "_" && first != "\\"
    }

    /// Returns the beginning of a pattern's matches in SQL, up to its first special character.
    ///
    /// It is taken from the pattern as it is compared: folded, the beginning alone could be another one.
    static func prefix(ofSQL pattern: String) -> String {
        "pg_catalog.substring(\(pattern), '^[^%_\\\\]*')"
    }
}
