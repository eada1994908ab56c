import PQClient

extension SQLQuery {
    private static let writing: Set<String> = ["INSERT", "UPDATE", "DELETE", "MERGE", "INTO"]

    /// The words before a parenthesis in a query that does not write.
    ///
    /// They are words of SQL, and PostgreSQL's common functions.
    private static let harmless = Set(
        """
        ALL AND ANY ARRAY AS BETWEEN BY CASE CAST CHAR COALESCE CROSS DECIMAL DISTINCT ELSE EXCEPT EXISTS EXTRACT FILTER FROM \
        GREATEST GROUP HAVING ILIKE IN INTERSECT INTERVAL IS JOIN LATERAL LEAST LIKE LIMIT MATERIALIZED NOT NULLIF NUMERIC \
        OFFSET ON OR OVER OVERLAPS PARTITION ROW SELECT SETS ROLLUP CUBE SIMILAR SOME THEN TIME TIMESTAMP UNION USING VALUES \
        VARCHAR WHEN WHERE WITH WITHIN ABS AGE ARRAY_AGG ARRAY_LENGTH ARRAY_POSITION AVG BOOL_AND BOOL_OR CARDINALITY CEIL \
        CEILING CHAR_LENGTH CONCAT CONCAT_WS COUNT CUME_DIST CURRENT_DATABASE CURRENT_SETTING DATE_PART DATE_TRUNC DENSE_RANK \
        DIV EVERY EXP FIRST_VALUE FLOOR FORMAT GENERATE_SERIES JSON_AGG JSON_BUILD_OBJECT JSONB_AGG JSONB_ARRAY_ELEMENTS \
        JSONB_BUILD_OBJECT JSONB_TYPEOF LAG LAST_VALUE LEAD LEFT LENGTH LN LOG LOWER LPAD LTRIM MAKE_INTERVAL MAX MD5 MIN MOD NOW \
        NTILE OCTET_LENGTH OVERLAY PERCENT_RANK PERCENTILE_CONT PERCENTILE_DISC PG_BACKEND_PID POSITION POWER RANDOM RANK \
        REGEXP_MATCHES REGEXP_REPLACE REPEAT REPLACE REVERSE RIGHT ROUND ROW_NUMBER ROW_TO_JSON RPAD RTRIM SIGN SPLIT_PART SQRT \
        STARTS_WITH STDDEV STRING_AGG STRPOS SUBSTRING SUM TO_CHAR TO_DATE TO_JSON TO_JSONB TO_NUMBER TO_TIMESTAMP TO_TSQUERY \
        TO_TSVECTOR TRIM TRUNC TS_RANK UNNEST UPPER VARIANCE WEBSEARCH_TO_TSQUERY
        """.split(separator: " ").map(String.init))

    /// Returns a Boolean value that indicates whether a completed statement may have written.
    ///
    /// The command tag decides. For a query its text decides; see ``namesWriting``.
    func mayHaveWritten(_ result: QueryResult) -> Bool {
        let verb = String(result.commandTag.prefix { $0 != " " })
        switch verb {
        case "SELECT", "EXPLAIN": return namesWriting
        case "SHOW", "SET", "RESET", "LOCK", "FETCH", "BEGIN", "SAVEPOINT", "RELEASE": return false
        default: return !["INSERT", "UPDATE", "DELETE", "MERGE"].contains(verb) || result.affectedRows > 0
        }
    }

    /// A Boolean value that indicates whether the text may write.
    ///
    /// It may if it has a comment, names a writing command, or calls a function that is not known to be
    /// harmless.
    private var namesWriting: Bool {
        // A comment can stand between a name and its parenthesis, and text can look like one.
        if text.contains("--") || text.contains("/*") { return true }
        var word = ""
        var qualifier: String?
        for character in text.uppercased() + " " {
            if character.isLetter || character.isNumber || character == "_" || character == "\"" {
                // After a space, another word begins.
                if word.last == " " { (word, qualifier) = ("", nil) }
                word.append(character)
                continue
            }
            if Self.writing.contains(word) { return true }
            switch character {
            case ".": (qualifier, word) = (word, "")
            case "(" where !word.isEmpty:
                let name = word.last == " " ? String(word.dropLast()) : word
                let isOwn = qualifier == nil || qualifier == "PG_CATALOG"
                if !isOwn || !Self.harmless.contains(name) { return true }
                (word, qualifier) = ("", nil)
            case _ where character.isWhitespace: if !word.isEmpty, word.last != " " { word.append(" ") }
            default: (word, qualifier) = ("", nil)
            }
        }
        return false
    }
}
