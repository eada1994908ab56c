/// The statements of other sessions that are hidden, because their texts can have passwords and keys.
///
/// The server compares the texts, so that a hidden one does not leave it. Words tell which those are: the meaning of
/// a value cannot be known.
enum StatementSecret {
    /// The number of characters of a statement that are shown.
    private static let shownLimit = 500
    /// The number of characters in which the words are looked for.
    private static let searchLimit = 20_000

    /// Returns an expression for the text of a statement that may be shown.
    ///
    /// - Parameter statement: The expression of the statement.
    static func shown(_ statement: String) -> String {
        let begin = "pg_catalog.left(\(statement), \(searchLimit))"
        // Comments between two words hide them from a pattern: the patterns see the text with and without comments.
        let plain =
            "pg_catalog.regexp_replace(pg_catalog.regexp_replace(\(begin), '/\\*.*?\\*/', ' ', 'g'), "
            + "'--[^\\n]*', ' ', 'g')"
        let cases = kinds.map { kind in
            "WHEN \(kind.patterns.map { "h.text OPERATOR(pg_catalog.~*) '\($0)'" }.joined(separator: " AND ")) "
                + "THEN 'hidden: \(kind.name)'"
        }
        return """
            (SELECT CASE \(cases.joined(separator: " ")) ELSE pg_catalog.left(\(statement), \(shownLimit)) END \
            FROM (SELECT pg_catalog.concat_ws(pg_catalog.chr(10), \(begin), \(plain)) AS text) h)
            """
    }

    /// The kinds of statements, each with the patterns that all match its text.
    private static let kinds: [(name: String, patterns: [String])] = [
        ("a statement about a password", ["password|passwd|passphrase|pgpass"]),
        ("a statement about a role", [#"\m(create|alter)\s+(role|user|group)\M"#]),
        (
            "a statement about a connection",
            [#"\m(create|alter)\s+(subscription|server)\M|\mconnection\s+\#(literal)|\mdblink|conninfo"#]
        ),
        ("a statement with a URL that has credentials", [#"://[^/[:space:]''"]*@"#]),
        ("a statement that encrypts or signs", [#"\m(\#(functions))"?\s*\("#]),
        (
            "a statement that sets a parameter of a program",
            [
                #"(^|;)\s*set\s+((session|local)\s+)?[^\s=;.]+\.[^\s=;]+\s*(=|\mto\M)|\mset_config"?\s*\(\s*\#(literal)[^''.]+\."#
            ]
        ),
        ("a statement that runs a program", [#"\mprogram\s+\#(literal)"#]),
        (
            "a statement about a key or token",
            [
                "secret|token|api_?key|private_?key|access_?key|credential|authorization|\\mbearer\\M|pwd|\\m(pw|pass)\\M",
                literal,
            ]
        ),
        ("a statement with a key of a known form", [forms.joined(separator: "|")]),
    ]

    /// The beginnings that keys and hashes of passwords have by their formats, which no other text has.
    private static let forms = [
        // Keys in files, tokens of JSON, hashes of passwords.
        #"\mprivate\s+key\M"#, #"\meyJ[a-z0-9_-]+\.[a-z0-9_-]+"#, #"\$2[abxy]?\$\d\d\$"#, #"\$argon2"#,
        #"SCRAM-SHA-\d+\$"#,
        // Keys of Amazon, Stripe, GitHub and Slack, signatures of addresses, and seeds of one-time passwords.
        #"\mA[KS]IA[A-Z0-9]{12}"#, #"\m[sr]k_(live|test)_"#, #"\mgh[opsur]_[a-z0-9]{4}|\mgithub_pat_"#,
        #"\mxox[a-z]-"#, #"[?&;]sig(nature)?=|x-amz-signature"#, "otpauth",
    ]
    /// The functions of pgcrypto that take passwords or keys.
    private static let functions =
        "crypt|gen_salt|hmac|digest|encrypt|encrypt_iv|decrypt|decrypt_iv|pgp_sym_[a-z_]+|pgp_pub_[a-z_]+"
    /// The beginning of a text in quotation marks or dollar signs.
    private static let literal = #"(e|u&)?(''|\$[a-z_]*\$)"#
}
