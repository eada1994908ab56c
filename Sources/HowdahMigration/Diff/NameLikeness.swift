internal import HowdahModel

/// The likeness of two names, by their words and letters.
enum NameLikeness {
    /// Returns a number from 0, if nothing is common, to 1, if only case and separators differ.
    static func of(_ left: String, _ right: String) -> Double {
        let (a, b) = (words(of: left), words(of: right))
        if a.joined() == b.joined() { return 1 }
        if NameOpposition.isBetween(a, b) { return 0 }
        return max(byWords(a, b), byLetters(a, b))
    }

    /// The words of `createdAt`, `created_at` and `URLString`, in lower case.
    static func words(of name: String) -> [String] {
        var words: [String] = []
        let letters = Array(name)
        for (place, letter) in letters.enumerated() {
            guard letter.isLetter || letter.isNumber else {
                words.append("")
                continue
            }
            let before = place > 0 ? letters[place - 1] : "_"
            let after = place + 1 < letters.count ? letters[place + 1] : "_"
            let begins =
                letter.isUppercase && (before.isLowercase || after.isLowercase)
                || letter.isNumber != before.isNumber
            if begins || words.isEmpty { words.append("") }
            words[words.count - 1] += letter.lowercased()
        }
        return words.filter { !$0.isEmpty }
    }

    /// Words that say little: most names that share only these mean something else.
    private static let common: Set<String> = [
        "id", "is", "has", "at", "date", "name", "type", "count", "of", "to", "the", "by", "key", "value",
        "data", "last",
        "first", "url", "index", "number", "string", "flag", "status", "state", "order", "max", "min",
        "total", "list",
        "title", "text", "identifier", "time", "path", "size", "user", "image", "item", "items", "should",
    ]

    /// The likeness by common words; more if one name has all words of the other.
    private static func byWords(_ left: [String], _ right: [String]) -> Double {
        let (a, b) = (Set(left), Set(right))
        let shared = a.intersection(b)
        let telling = shared.subtracting(common)
        if shared.isEmpty { return 0 }
        let weight = { (words: Set<String>) in
            words.reduce(0.0) { $0 + Double($1.count) * (common.contains($1) ? 0.4 : 1) }
        }
        let part = weight(shared) / weight(a.union(b))
        if shared == a || shared == b { return telling.isEmpty ? 0.35 + 0.3 * part : 0.55 + 0.45 * part }
        return telling.isEmpty ? 0 : part
    }

    /// The likeness by letters, which slips, abbreviations and plurals have.
    ///
    /// If the names share words, the others must be alike by themselves: homePhone and workPhone mean two things.
    private static func byLetters(_ left: [String], _ right: [String]) -> Double {
        let shared = Set(left).intersection(right)
        let (a, b) = (left.filter { !shared.contains($0) }, right.filter { !shared.contains($0) })
        if !a.isEmpty, !b.isEmpty {
            let (a, b) = (a.joined(), b.joined())
            if !shared.isEmpty, byLetters(a, b) < 0.4 { return 0 }
            if isOtherWord(a, b) { return 0 }
        }
        return byLetters(left.joined(), right.joined())
    }

    private static func byLetters(_ left: String, _ right: String) -> Double {
        let longest = max(left.count, right.count)
        guard longest > 0 else { return 0 }
        let distance = NearestName.distance(Array(left), Array(right))
        return max(0, 1 - 1.5 * Double(distance) / Double(longest))
    }

    /// Indicates whether few different letters make another word, as in fax and tax, date and data, count and country.
    private static func isOtherWord(_ left: String, _ right: String) -> Bool {
        let (short, long) = left.count <= right.count ? (left, right) : (right, left)
        // A plural, or letters in another order.
        if long == short + "s" || long == short + "es" || short.sorted() == long.sorted() { return false }
        return long.count < 6 || common.contains(short)
    }
}
