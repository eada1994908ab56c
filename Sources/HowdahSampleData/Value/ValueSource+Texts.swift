import Foundation
import HowdahModel

extension ValueSource {
    /// The most scalars of a text in an index, which takes 2,700 bytes for all columns together.
    private static let indexedLength = 64

    private static let words = [
        "amber", "birch", "copper", "delta", "ember", "fjord", "granite", "harbour", "indigo", "juniper",
        "kelp",
        "lantern", "meadow", "north", "opal", "prairie", "quartz", "river", "saffron", "tundra", "umber",
        "vale",
        "willow", "xenon", "yarrow", "zephyr", "åben", "größe", "élan", "señor", "данные", "東京",
    ]

    private static let edgeTexts = [
        "", "a", "O'Brien; DROP TABLE \"x\" --", "e\u{301}\u{323} A\u{30A} \u{1E9B}\u{323}",
        "👩‍👩‍👧 \u{1F1E6}\u{1F1FF} 𝔘",
        "one\ntwo\r\nthree\ttab", "\\ \\n %s %_*? {} $1 :name", " leading and trailing ",
        "\u{1}\u{7F}\u{85}\u{2028}\u{200D}\u{202E}",
        "NULL", "\u{FFFD}\u{10FFFF}\u{FEFF}", "İıßςΣ", "가각ᄀ\u{1161}", "{\"a\": [1, null]}",
    ]

    static func texts(
        _ attribute: AttributeDescription, _ pattern: PredicatePattern?, _ isIndexed: Bool
    ) -> Self {
        if let pattern {
            let grammar = PatternGrammar(pattern.text)
            let shortest = grammar.map { grammar -> [Value] in
                var random = SplitMix64(seed: 0)
                return [.string(grammar.text(&random, longest: 0))]
            }
            return Self(shortest ?? []) { random in
                grammar.map { .string($0.text(&random, longest: 8)) }
            }
        }
        let least = attribute.minimumLength ?? 0
        let most = min(attribute.maximumLength ?? .max, max(least, isIndexed ? indexedLength : 10_000))
        guard least <= most else { return Self([]) { _ in nil } }
        var edges = edgeTexts.map { padded($0, least, most) }
        edges.append(padded("", least, most))
        edges.append(padded("", most, most))
        // Two UTF-16 units each, of which the model counts two and PostgreSQL one.
        edges.append(padded(String(repeating: "𐍈", count: most / 2), least, most))
        return Self(edges.map(Value.string)) { random in
            let first = random.pick(words)
            var text = first.prefix(1).uppercased() + first.dropFirst()
            for _ in 0..<random.below(4) { text += " " + random.pick(words) }
            if random.chance(1, in: 2) { text += " \(random.below(10_000))" }
            if random.chance(1, in: 32), !isIndexed {
                text = Array(repeating: text, count: 100).joined(separator: ". ")
            }
            text = String(text.prefix(most))
            while text.utf16.count > most { text.removeLast() }
            if text.utf16.count < least { text += String(repeating: "x", count: least - text.utf16.count) }
            return .string(text)
        }
    }

    /// The text as it is where it is long enough; too long ones do not pass the rules and are dropped later.
    private static func padded(_ text: String, _ least: Int, _ most: Int) -> String {
        let length = text.howdahNormalized.utf16.count
        return length < least ? text + String(repeating: "z", count: least - length) : text
    }
}
