package import PQClient

extension PostgresError {
    /// The server's message and its fields, without values of rows. The detail of a violated constraint has nothing else.
    package var saidByServer: [(name: String, text: String)] {
        let isOfValues = sqlState?.hasPrefix("23") == true
        return [
            ("the server", messageWithoutValue), ("detail", isOfValues ? nil : detail), ("hint", hint),
            ("at character", position.map(String.init)), ("in", context.map(Self.withoutValue)),
        ].compactMap { name, text in text.flatMap { $0.isEmpty ? nil : (name, $0) } }
    }

    /// The same by the names that programs look for.
    package var fieldsWithoutValues: [String: String] {
        let said = saidByServer.filter { $0.name != "the server" }.map { ($0.name, $0.text) }
        return Dictionary([("server", messageWithoutValue)] + said, uniquingKeysWith: { first, _ in first })
    }

    /// The message, without the value that a conversion did not take.
    private var messageWithoutValue: String {
        sqlState?.hasPrefix("22") == true ? Self.withoutValue(message) : message
    }

    /// Cuts a quoted value off the end of a text, as in `invalid input syntax for type integer: "a"`, or in the line of a COPY.
    private static func withoutValue(_ text: String) -> String {
        guard let start = text.firstRange(of: ": \"") else { return text }
        return String(text[..<start.lowerBound])
    }
}
