import Foundation
import HowdahModel
import HowdahSchema
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// A pattern of the common subset means the same to ICU and to PostgreSQL.
@Suite struct PatternAgreementTests {
    @Test func randomPatternsAgreeOnRandomTexts() async throws {
        let model = try ManagedObjectModel(entities: [EntityDescription("Thing")])
        try await withStore(model) { _, sql in
            let connection = try Connection(ConnectionConfiguration(sql.url))
            defer { connection.close() }
            var random = RandomPattern(state: 42)
            var tried = 0
            var matched = 0
            for _ in 0..<600 {
                let regex = random.pattern(depth: 3)
                let pattern = try ValidationPattern(regex)
                guard let shared = pattern.sharedText else { continue }
                let texts = Set((0..<24).map { _ in random.text() }).sorted()
                var parameters = Parameters()
                try parameters.appendArray(of: .text, count: texts.count) { cells in
                    for text in texts { try cells.string(text) }
                }
                let check = StoreSchema.Condition.matches(column: "x", shared).sql
                let result = try connection.query(
                    "SELECT x, (\(check)) FROM (SELECT x COLLATE \"C\" AS x FROM unnest($1::text[]) x) t",
                    parameters, cached: false)
                tried += 1
                for row in 0..<result.rowCount {
                    let text = result.row(row)[0].string()
                    let isMatch = result.row(row)[1].bool
                    if isMatch { matched += 1 }
                    #expect(
                        try pattern.matches(text) == isMatch,
                        "\(regex.debugDescription) on \(text.debugDescription)")
                }
            }
            #expect(tried > 400 && matched > 500, "\(tried) patterns, \(matched) matches")
        }
    }

    /// Patterns that are nearly all in the subset, and texts that they have a chance to match.
    private struct RandomPattern {
        var random: SeededGenerator

        init(state: UInt64) { random = SeededGenerator(seed: state) }

        private mutating func pick(_ choices: [String]) -> String {
            choices[Int.random(in: choices.indices, using: &random)]
        }

        mutating func pattern(depth: Int) -> String {
            (0..<Int.random(in: 1...3, using: &random)).map { _ in atom(depth: depth) + repetition() }
                .joined()
        }

        private mutating func repetition() -> String {
            pick(["", "", "", "*", "+", "?", "{2}", "{1,3}", "{0,}", "*?", "+?"])
        }

        private mutating func atom(depth: Int) -> String {
            switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
            case 0: pick(["a", "b", "é", "🐘", "1", " ", "-"])
            case 1: pick([".", "\\d", "\\w", "\\s", "\\D", "\\W", "\\S", "\\.", "\\\\", "\\n", "\\t"])
            case 2: "[" + member() + member() + "]"
            case 3: "[^" + member() + member() + "]"
            case 4: pick(["a", "b", "1"]) + pick(["a", "b", "1"])
            case 5: pick(["[\\sA1]", "[\\d\\sb]", "[a-]", "[-a]", "[\\]a]", "[\\^a]", "[a^]"])
            case 6: "(" + pattern(depth: depth - 1) + "|" + pattern(depth: depth - 1) + ")"
            default: "(?:" + pattern(depth: depth - 1) + ")"
            }
        }

        private mutating func member() -> String {
            pick(["a", "b", "a-c", "é", "0-9", "\\d", "\\w", "\\s", "\\n", "🐘", ".", "*", "\\-", "$", " "])
        }

        mutating func text() -> String {
            (0..<Int.random(in: 0...5, using: &random)).map { _ in
                pick([
                    "a", "b", "c", "é", "🐘", "1", "9", "A", " ", "\n", "\t", "\u{0B}", "\r", "\u{2028}", "-",
                    ".", "\\", "^", "_", "٣",
                ])
            }.joined()
        }
    }
}
