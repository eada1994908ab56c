extension SQLQuery {
    /// Functions with an effect until the end of the session.
    ///
    /// Each has its substitute, if there is one.
    private static let lasting: [String: (name: String, substitute: String?)] = {
        let lock = ("An advisory lock of the session", "pg_advisory_xact_lock" as String?)
        return [
            "PG_ADVISORY_LOCK": lock, "PG_ADVISORY_LOCK_SHARED": lock, "PG_TRY_ADVISORY_LOCK": lock,
            "PG_TRY_ADVISORY_LOCK_SHARED": lock, "PG_ADVISORY_UNLOCK": lock,
            "PG_ADVISORY_UNLOCK_SHARED": lock,
            "PG_ADVISORY_UNLOCK_ALL": lock, "SETSEED": ("The seed of random()", nil),
        ]
    }()

    /// The error for a statement that would begin or end the transaction of a unit of work; nil for others.
    ///
    /// The caller also compares the session's state before and after: a procedure can do the same.
    var refusalOfTransactionControl: FetchError? {
        let tokens = SQLTokens(text).all.drop { $0 == .sign(";") }
        guard case .word(let first)? = tokens.first else { return nil }
        let second = tokens.dropFirst().first
        switch first {
        case "BEGIN", "START", "END", "ABORT": break
        // Those of prepared transactions stand alone, and those to a savepoint within one.
        case "COMMIT" where second == .word("PREPARED"): return nil
        case "ROLLBACK" where second == .word("PREPARED") || tokens.contains(.word("TO")): return nil
        case "COMMIT", "ROLLBACK": break
        case "PREPARE" where second == .word("TRANSACTION"): break
        default: return nil
        }
        return FetchError(
            .invalidRequest,
            "\(first) was not run, because it would change the transaction of the unit of work and lose "
                + "saves. Use perform(isolation:), which begins a transaction and ends it with the body.")
    }

    /// The error for a statement with a lasting effect on a session that belongs to a pooler; nil for others.
    ///
    /// Only the text is examined, not functions and triggers.
    var refusalBehindPooler: FetchError? {
        guard let effect = Self.effectOnSession(SQLTokens(text)) else { return nil }
        return FetchError(
            .invalidRequest,
            "\(effect.name) lasts as long as its session, and a pooler gives each transaction another "
                + "session. The statement was not run. "
                + (effect.substitute.map { "Use \($0) in a transaction, or connect" } ?? "Connect")
                + " to the server itself. If the pooler keeps one session for each client, set StoreOptions.pooler to .session."
        )
    }

    /// The effect of a statement on its session, and its substitute.
    private static func effectOnSession(_ tokens: SQLTokens) -> (name: String, substitute: String?)? {
        var rest = tokens.all.drop { $0 == .sign(";") || $0 == .sign("(") }
        if rest.first == .word("EXPLAIN") {
            let verbs: [SQLTokens.Token] = ["SELECT", "WITH", "CREATE", "EXECUTE", "DECLARE"].map {
                .word($0)
            }
            rest = rest.drop { !verbs.contains($0) }
        }
        let words: [String] = rest.prefix(5).map { if case .word(let word) = $0 { word } else { "" } }
        if let effect = effect(ofCommand: words, tokens) { return effect }
        if tokens.hasEscapes {
            return ("A name in Unicode escapes can be that of a session lock, which", nil)
        }
        if tokens.contains("INTO", "TEMP") || tokens.contains("INTO", "TEMPORARY")
            || tokens.contains("INTO", "LOCAL") || tokens.contains("PG_TEMP")
        {
            return ("A temporary table", "CREATE TEMPORARY TABLE … ON COMMIT DROP")
        }
        for case .word(let word) in tokens.all {
            if let effect = lasting[word] { return effect }
        }
        return isSettingForLong(tokens.all)
            ? ("A setting", "set_config with true as its third argument") : nil
    }

    private static func effect(
        ofCommand words: [String], _ tokens: SQLTokens
    ) -> (name: String, substitute: String?)? {
        switch words.first {
        case "SET":
            let local: Set = ["LOCAL", "TRANSACTION", "CONSTRAINTS"]
            return words.count > 1 && local.contains(words[1]) ? nil : ("SET", "SET LOCAL")
        case "RESET": return ("RESET", "SET LOCAL")
        case "LISTEN", "UNLISTEN": return (words[0], nil)
        case "LOAD": return ("LOAD", nil)
        case "PREPARE", "EXECUTE", "DEALLOCATE": return ("A prepared statement", nil)
        case "DISCARD": return ("DISCARD", nil)
        case "DO": return doEffect(tokens)
        case "DECLARE" where tokens.contains("WITH", "HOLD"):
            return ("A cursor WITH HOLD", "one WITHOUT HOLD")
        case "CREATE" where words.dropFirst().contains { $0 == "TEMP" || $0 == "TEMPORARY" }:
            return tokens.contains("ON", "COMMIT", "DROP")
                ? nil : ("A temporary object", "a temporary table with ON COMMIT DROP")
        default: return nil
        }
    }

    /// The effect of the statements in the body of a DO statement.
    private static func doEffect(_ tokens: SQLTokens) -> (name: String, substitute: String?)? {
        for case .text(let body) in tokens.all {
            let inner = SQLTokens(body)
            if inner.contains("EXECUTE") {
                return ("A possible effect of a DO statement that executes text", nil)
            }
            let breaks: Set = ["BEGIN", "THEN", "ELSE", "LOOP"]
            let statements = inner.all.split { token in
                if case .word(let word) = token { return breaks.contains(word) }
                return token == .sign(";")
            }
            for statement in statements {
                if let effect = effectOnSession(SQLTokens(statement, hasEscapes: inner.hasEscapes)) {
                    return effect
                }
            }
        }
        return nil
    }

    /// Returns true unless each call of `set_config` has a constant for the transaction's duration.
    private static func isSettingForLong(_ tokens: [SQLTokens.Token]) -> Bool {
        for start in tokens.indices where tokens[start] == .word("SET_CONFIG") {
            guard start + 1 < tokens.count, tokens[start + 1] == .sign("(") else { continue }
            var (depth, arguments): (Int, [[SQLTokens.Token]]) = (1, [[]])
            for token in tokens[(start + 2)...] {
                if token == .sign("(") { depth += 1 }
                if token == .sign(")") { depth -= 1 }
                if depth == 0 { break }
                if token == .sign(","), depth == 1 {
                    arguments.append([])
                } else {
                    arguments[arguments.count - 1].append(token)
                }
            }
            guard arguments.count == 3, let last = arguments[2].last, last == .word("TRUE") else {
                return true
            }
            let name: [SQLTokens.Token] = [.word("IS_LOCAL"), .sign("="), .sign(">")]
            guard arguments[2].count == 1 || Array(arguments[2].dropLast()) == name else { return true }
        }
        return false
    }
}
