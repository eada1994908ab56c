/// The one place where names become SQL.
public enum SQLIdentifier {
    /// `name` as a quoted identifier, whatever characters it has.
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

    /// `schema.name`, both quoted.
    public static func quoted(_ schema: String, _ name: String) -> String {
        quoted(schema) + "." + quoted(name)
    }
}
