/// The only place in which names become SQL.
public enum SQLIdentifier {
    /// Returns a name as a quoted identifier; any characters are possible.
    ///
    /// The server cuts names longer than 63 bytes silently; callers keep them shorter.
    public static func quoted(_ name: String) -> String {
        var text = "\""
        text.reserveCapacity(name.utf8.count + 2)
        for scalar in name.unicodeScalars {
            if scalar == "\"" { text.unicodeScalars.append("\"") }
            text.unicodeScalars.append(scalar)
        }
        text += "\""
        return text
    }

    /// Returns `schema.name`, both quoted.
    public static func quoted(_ schema: String, _ name: String) -> String {
        quoted(schema) + "." + quoted(name)
    }
}
