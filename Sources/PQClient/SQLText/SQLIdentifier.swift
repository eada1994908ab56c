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

    /// Returns the last name of `quoted(_:_:)`, without its quotes.
    package static func lastName(_ quoted: String) -> String {
        var name = ""
        var isInside = false
        var hasJustEnded = false
        for scalar in quoted.unicodeScalars {
            if scalar == "\"" {
                // A doubled quote ends a name and begins it again, and is a part of it.
                if hasJustEnded { name.unicodeScalars.append(scalar) }
                hasJustEnded = isInside
                isInside.toggle()
            } else if isInside {
                name.unicodeScalars.append(scalar)
            } else {
                name = ""
                hasJustEnded = false
            }
        }
        return name
    }
}
