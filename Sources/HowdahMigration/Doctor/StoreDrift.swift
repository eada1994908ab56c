/// Where the tables of a store are not what its model makes, in words.
package struct StoreDrift: Hashable, Sendable, Codable {
    /// What is missing or different, and what is too many in the store's own tables and has an effect.
    package let differences: [String]
    /// What is in the schema beside: other tables and functions, more indexes that are not unique.
    package let additions: [String]

    /// Compares what is there with what the model makes.
    package init(_ actual: StoreCatalogue, expected: StoreCatalogue) {
        var (differences, additions): ([String], [String]) = ([], [])
        for line in actual.differences(from: expected) {
            let name = String(line.prefix { $0 != " " })
            guard line.hasSuffix(" is not expected") else {
                differences.append(line)
                continue
            }
            let object = line.dropLast(" is not expected".count)
            if Self.hasEffect(name, String(object), actual, expected) {
                differences.append("\(object) is not in the model: \(actual.entries[String(object)] ?? "")")
            } else {
                additions.append(String(object))
            }
        }
        self.differences = differences
        self.additions = additions
    }

    private static func hasEffect(
        _ kind: String, _ object: String, _ actual: StoreCatalogue, _ expected: StoreCatalogue
    ) -> Bool {
        switch kind {
        case "index":
            guard let text = actual.entries[object], text.hasPrefix("CREATE UNIQUE") else { return false }
            return expected.entries.contains { key, other in
                key.hasPrefix("index ") && table(ofIndex: other) == table(ofIndex: text)
            }
        case "column", "constraint", "trigger", "rule":
            let place = object.dropFirst(kind.count + 1)
            return expected.entries.keys.contains { key in
                key.hasPrefix("table ") && place.hasPrefix(key.dropFirst("table ".count) + ".")
            }
        default: return false
        }
    }

    /// The table of an index, as its definition spells it. Each table of a store has a primary key.
    private static func table(ofIndex definition: String) -> Substring? {
        guard let start = definition.firstRange(of: " ON "),
            let end = definition[start.upperBound...].firstRange(of: " USING ")
        else { return nil }
        return definition[start.upperBound..<end.lowerBound]
    }
}
