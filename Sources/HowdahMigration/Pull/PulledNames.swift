internal import HowdahModel

/// Names of entities and properties made of the names of tables and columns.
enum PulledNames {
    /// `order_items` as `OrderItems`.
    static func entity(_ table: String) -> String {
        let name = words(table).map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return startsWell(name) ? name : "T" + name
    }

    /// `created_at` as `createdAt`.
    static func property(_ column: String) -> String {
        let name = words(column).enumerated().map { position, word in
            position == 0
                ? word.prefix(1).lowercased() + word.dropFirst()
                : word.prefix(1).uppercased() + word.dropFirst()
        }.joined()
        if reserved.contains(name.lowercased()) { return name + "Value" }
        return startsWell(name) ? name : "c" + name
    }

    /// `department_id` as `department`.
    static func relationship(_ column: String) -> String {
        let words = words(column)
        guard words.count > 1, let last = words.last, ["id", "key", "fk", "ref"].contains(last.lowercased())
        else {
            return property(column)
        }
        return property(words.dropLast().joined(separator: "_"))
    }

    /// What predicates and key-value access mean by the name already.
    private static let reserved: Set<String> = ["self", "objectid", "entity"]

    private static func startsWell(_ name: String) -> Bool {
        name.first.map { $0.isLetter || $0 == "_" } ?? false
    }

    /// At underscores, at other characters that are none of a name, and between a small and a large letter.
    private static func words(_ text: String) -> [String] {
        var result: [String] = []
        var word = ""
        var wasSmall = false
        for character in text {
            let isLarge = character.isUppercase
            if !(character.isLetter || character.isNumber) || (isLarge && wasSmall) {
                if !word.isEmpty { result.append(word) }
                word = ""
            }
            if character.isLetter || character.isNumber { word.append(character) }
            wasSmall = character.isLowercase || character.isNumber
        }
        if !word.isEmpty { result.append(word) }
        return result
    }
}
