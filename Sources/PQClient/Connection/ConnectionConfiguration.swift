internal import CLibPQ

/// The server, user and options of a connection: every keyword of libpq, with defaults that detect a dead
/// network.
///
/// `description` never holds a password. The environment (`PGHOST` and so on) and password files apply as for
/// psql.
///
/// Sessions have `jit` off, because the server compiles a large predicate for minutes. `options=-c jit=on`
/// turns it on. If `options` has any setting of `jit`, that setting applies.
///
/// If a pooler refuses `options`, a second connection is made without them. There the role has to have the
/// setting (`ALTER ROLE … SET jit = off`).
///
/// Source: PostgreSQL "Database Connection Control Functions".
public struct ConnectionConfiguration: Hashable, Sendable {
    private var keywords: [String: String] = [:]

    var allKeywords: [String: String] { keywords }

    /// The time limit for the answer of one address; each host, and each address of a host name, gets it.
    ///
    /// The default is 10 seconds.
    public var connectTimeout: Duration = .seconds(10)
    /// The time after which a statement other than COPY is cancelled; nil for no limit.
    public var statementDeadline: Duration?
    /// The number of prepared statements that a connection keeps. The default is 256; 0 prepares none.
    public var statementCacheSize = 256
    /// The pooler between this client and the server. By default, each connection detects it at its opening.
    public var pooler = PoolerMode.detected
    /// Indicates whether the server refuses changes in the session, unless a transaction asks for them.
    package var isReadOnly = false
    /// A name of this version of the program, for poolers that share statements between clients.
    package var statementTag: String?

    /// Creates a configuration from `postgres://user@host/database?keyword=value` or `keyword=value …`.
    ///
    /// Several hosts, `target_session_attrs` and the `ssl…` keywords are kept. If you give no keepalives, a
    /// silent peer is detected after about 11 seconds, and unacknowledged data after 10.
    ///
    /// - Parameter urlOrConninfo: The URL or the list of keywords. Write `@`, `/` and `:` in a user or
    ///   password as `%40`, `%2F` and `%3A`.
    /// - Throws: ``PostgresError`` with code `invalidConfiguration`.
    public init(_ urlOrConninfo: String) throws {
        var complaint: UnsafeMutablePointer<CChar>?
        guard !urlOrConninfo.utf8.contains(0), let options = PQconninfoParse(urlOrConninfo, &complaint) else {
            var error = PostgresError(
                .invalidConfiguration,
                "The connection string cannot be read. Write postgres://user@host/database or keyword=value pairs.",
                phase: .connect)
            if let keyword = complaint.flatMap({
                Self.unknownKeyword(in: String(cString: $0), of: urlOrConninfo)
            }) {
                error.message =
                    "The connection string has an unknown option \"\(keyword)\". Remove it, or use an option of libpq."
            }
            PQfreemem(complaint)
            throw error
        }
        defer { PQconninfoFree(options) }
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { keywords[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        try takeTimeout()
        try checkEncoding()
        try checkPlaces(of: urlOrConninfo)
    }

    /// Returns the keyword that libpq does not know.
    ///
    /// libpq repeats parts of the string, which may be the password's. A keyword is named only if no possible
    /// part of a password stands before it unescaped.
    private static func unknownKeyword(in complaint: String, of string: String) -> String? {
        guard let query = string.firstIndex(of: "?"), string.contains("://"), !string[query...].contains("@"),
            complaint.hasPrefix("invalid URI query parameter"),
            let quoted = complaint.split(separator: "\"", omittingEmptySubsequences: false).dropFirst().first,
            quoted.allSatisfy({ $0.isASCII && ($0.isLetter || $0 == "_") })
        else { return nil }
        return String(quoted)
    }

    /// Checks that no part of a password became the host, the port or the database, because errors name
    /// those.
    ///
    /// libpq cuts a password at an unescaped @, / or :.
    private func checkPlaces(of string: String) throws {
        let authority = string.prefix { $0 != "?" }
        let isURL = string.contains("://")
        let port = keywords["port"] ?? ""
        let database = keywords["dbname"] ?? ""
        let isCut =
            keywords["host"]?.contains("@") == true || database.hasPrefix("postgres://")
            || database.hasPrefix("postgresql://")
            || isURL && (database.contains("@") || authority.count { $0 == "@" } > 1)
        guard isCut || !port.allSatisfy({ $0.isNumber || $0 == "," }) else { return }
        throw PostgresError(
            .invalidConfiguration,
            "The host, port or database of the connection string is ambiguous. Write %40, %2F and %3A for @, / and : "
                + "in the "
                + "user or the password.", phase: .connect)
    }

    /// The value of a libpq keyword, such as `host`. If it is nil, libpq's own default applies.
    public subscript(keyword: String) -> String? {
        get { keywords[keyword] }
        set { keywords[keyword] = newValue }
    }

    /// The name of the session in `pg_stat_activity`.
    public var applicationName: String? {
        get { keywords["application_name"] }
        set { keywords["application_name"] = newValue }
    }

    private mutating func takeTimeout() throws {
        guard let text = keywords.removeValue(forKey: "connect_timeout") else { return }
        guard let seconds = Int(text) else {
            throw PostgresError(
                .invalidConfiguration,
                "connect_timeout is not a whole number. Set it to a whole number of seconds.",
                phase: .connect)
        }
        connectTimeout = .seconds(seconds > 0 ? seconds : 86_400)
    }

    private mutating func checkEncoding() throws {
        guard let encoding = keywords.removeValue(forKey: "client_encoding") else { return }
        let letters = encoding.lowercased().filter { $0 != "-" && $0 != "_" }
        guard letters == "utf8" || letters == "unicode" else {
            throw PostgresError(
                .invalidConfiguration, "client_encoding is not UTF8. Remove it from the connection string.",
                phase: .connect)
        }
    }
}

extension ConnectionConfiguration: CustomStringConvertible, CustomDebugStringConvertible {
    /// The keywords that are set, without any password.
    public var description: String {
        keywords.sorted { $0.key < $1.key }
            .map { $0.key.contains("password") ? "\($0.key)=****" : "\($0.key)=\($0.value)" }
            .joined(separator: " ")
    }

    /// The same text as `description`.
    public var debugDescription: String { description }
}
