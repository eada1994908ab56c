internal import Foundation

/// What kind of statement a step has, told by the words that the planner writes.
enum SQLShape: Hashable {
    case drop, rename, addCheck, addForeignKey, setNotNull, addUnique, createIndex, changeRows, other

    init(_ sql: String) {
        // What is between quotes are names and values, which could be any word.
        let words = Self.withoutQuoted(sql)
        let verb = words.prefix { !$0.isWhitespace }
        switch verb {
        case "UPDATE", "INSERT", "DELETE", "WITH": self = .changeRows
        case "CREATE" where words.hasPrefix("CREATE UNIQUE INDEX"): self = .addUnique
        case "CREATE" where words.hasPrefix("CREATE INDEX"): self = .createIndex
        case "DROP" where words.hasPrefix("DROP TABLE"): self = .drop
        case "ALTER": self = Self.alteration(words)
        default: self = .other
        }
    }

    /// The name, in quotes, that a step only gives to what is to go, so that its own name is free.
    static func nameSetAside(by statements: [String]) -> String? {
        guard statements.count == 1, let statement = statements.first, SQLShape(statement) == .rename,
            let mark = statement.range(of: " TO \"", options: .backwards)
        else { return nil }
        let name = statement[mark.lowerBound...].dropFirst(" TO ".count)
        return PhysicalNames.isAside(name.dropFirst().dropLast()) ? String(name) : nil
    }

    private static func alteration(_ words: String) -> SQLShape {
        if words.contains("DROP COLUMN") { return .drop }
        if words.contains("RENAME CONSTRAINT") || words.hasPrefix("ALTER INDEX") { return .other }
        if words.hasPrefix("ALTER TABLE"), words.contains(" RENAME ") { return .rename }
        if words.contains("NOT VALID") { return .other }
        if words.contains("SET NOT NULL") { return .setNotNull }
        if words.contains("FOREIGN KEY") { return .addForeignKey }
        if words.contains(" UNIQUE ") || words.contains("PRIMARY KEY") { return .addUnique }
        if words.contains("CHECK (") { return .addCheck }
        return .other
    }

    private static func withoutQuoted(_ sql: String) -> String {
        var result = String.UnicodeScalarView()
        var quote: Unicode.Scalar?
        // A combining mark after a quote is a part of its character.
        for scalar in sql.unicodeScalars {
            if let open = quote {
                if scalar == open { quote = nil }
            } else if scalar == "\"" || scalar == "'" {
                quote = scalar
                result.append("?")
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }
}
