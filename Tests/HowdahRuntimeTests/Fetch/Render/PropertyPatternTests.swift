import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

/// LIKE with a pattern that is a property.
@Suite struct PropertyPatternTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Rule",
                properties: [
                    .attribute("text", .string), .attribute("pattern", .string),
                    .attribute("loose", .string, caseInsensitive: true), .attribute("link", .uri),
                    .attribute("size", .integer32), .attribute("tags", .array(of: .string)),
                    .relationship("parent", to: "Rule", inverse: "parts"),
                    .relationship("parts", to: "Rule", inverse: "parent", toMany: true),
                ])
        ])
    }

    private static let pieces = [
        "a", "b", "A", "ab", "é", "E\u{301}", "\u{301}", "ß", "ss", "%", "_", "*", "?", "*", "?", "\\",
        "\\\\",
        "\\*", "\\?", "\\%", "\\_", "\n", "\r\n", " ", "'", "$1", "👩🏽‍🚀", "か\u{3099}", "İ", "ø", "[", "^", ".",
    ]

    private static let formats = [
        "text LIKE pattern", "NOT text LIKE pattern", "text LIKE[c] pattern", "text LIKE[d] pattern",
        "text LIKE[cd] pattern", "NOT text LIKE[cd] pattern", "text LIKE[n] pattern", "loose LIKE pattern",
        "loose LIKE[n] pattern", "text LIKE loose", "loose LIKE[d] text", "text LIKE text",
        "text LIKE parent.pattern", "parent.text LIKE pattern", "NOT parent.text LIKE parent.pattern",
        "ANY parts.text LIKE pattern", "ALL parts.text LIKE[cd] pattern", "NONE parts.text LIKE pattern",
        "ANY tags LIKE pattern", "ALL tags LIKE[c] loose", "'a' LIKE pattern", "NOT 'ab\\n' LIKE[cd] pattern",
        "'' LIKE pattern", "uppercase:(text) LIKE pattern", "text LIKE uppercase:(pattern)",
        "link LIKE pattern", "TERNARY(text LIKE pattern, 1, 0) == 1",
        "SUBQUERY(parts, $p, $p.text LIKE pattern).@count > 0",
        "SUBQUERY(parts, $p, text LIKE $p.pattern).@count == 0", "nil LIKE pattern",
    ]

    @Test(arguments: UInt64(1)...TestTier.choose(quick: 1, all: 3, nightly: 3))
    func databaseAndMemoryAgree(seed: UInt64) async throws {
        let count = TestTier.choose(quick: 200, all: 800, nightly: 4_000)
        try await withTestStore(Self.model()) { container in
            try await container.perform { context in
                var random = SeededGenerator(seed: seed)
                func text(_ most: Int) -> String {
                    (0..<Int.random(in: 0...most, using: &random)).map { _ in random.pick(Self.pieces) }
                        .joined()
                }
                let rules = (0..<count).map { number in
                    let rule = context.insert("Rule")
                    if random.chance(90) { rule["text"] = text(4) }
                    // Many patterns are made of the text, so that some match it.
                    if random.chance(90) {
                        var pattern = random.chance(40) ? rule["text"] as? String ?? "" : text(4)
                        if random.chance(40) { pattern = "*" + pattern }
                        if random.chance(30) { pattern += random.pick(["*", "?", "\\"]) }
                        rule["pattern"] = pattern
                    }
                    if random.chance(90) { rule["loose"] = text(2) }
                    if random.chance(50) {
                        rule["link"] = URL(string: "x:" + random.pick(["a", "%25", "b"]))
                    }
                    if random.chance(80) { rule["tags"] = (0..<random.pick([0, 1, 2])).map { _ in text(1) } }
                    return rule
                }
                for rule in rules where random.chance(60) { rule["parent"] = random.pick(rules) }
                try context.save()
                var decided = 0
                for format in Self.formats {
                    let tree = try PredicateTree(format: format)
                    var request = FetchRequest<ManagedObject>(entityName: "Rule")
                    request.predicate = tree
                    let expected = Set(try rules.filter { try tree.evaluate(with: $0) })
                    let found = Set(try context.fetch(request))
                    if let one = found.symmetricDifference(expected).first {
                        let values = ["text", "pattern", "loose", "tags"].map {
                            "\(one[$0] ?? "nil")".debugDescription
                        }
                        Issue.record(
                            "\(format): \(found.count) found, \(expected.count) in memory, such as \(values)")
                    }
                    if !expected.isEmpty, expected.count < rules.count { decided += 1 }
                }
                #expect(decided > Self.formats.count * 2 / 3, "\(decided) formats decide")
            }
        }
    }

    /// A constant pattern means what the same text in a property means, also if folding takes a mark away behind a backslash.
    @Test func constantsMeanWhatPropertiesMean() async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { context in
                let texts = ["*", "a*", "abc", "\\", "\\a", "é", "e", "a\nb", "%", "_", "a%", "", "a?"]
                let patterns = [
                    "\\*", "a\\*", "a*", "?", "\\", "\\\\", "\\\u{301}*", "\\\u{301}\u{308}?", "\\é", "%",
                    "a%", "a_b", "a?b",
                    "*\\", "**", "", "\\%", "\\_", "a\\?", "\\a*",
                ]
                var rules: [[ManagedObject]] = []
                for pattern in patterns {
                    rules.append(
                        texts.map { text in
                            let rule = context.insert("Rule")
                            (rule["text"], rule["pattern"]) = (text, pattern)
                            return rule
                        })
                }
                try context.save()
                for (pattern, rules) in zip(patterns, rules) {
                    for options in ["", "[c]", "[d]", "[cd]"] {
                        let trees = [
                            try PredicateTree(format: "text LIKE\(options) pattern"),
                            try PredicateTree(format: "text LIKE\(options) %@", arguments: [pattern]),
                        ]
                        var answers: [Set<String>] = []
                        for tree in trees {
                            var request = FetchRequest<ManagedObject>(entityName: "Rule")
                            request.predicate = .and([tree, .format("pattern == %@", pattern)])
                            answers.append(
                                Set(try context.fetch(request).compactMap { $0["text"] as? String }))
                            let kept = try rules.filter { try tree.evaluate(with: $0) }
                            answers.append(Set(kept.compactMap { $0["text"] as? String }))
                        }
                        #expect(
                            answers.allSatisfy { $0 == answers[0] },
                            "\(pattern.debugDescription) \(options): \(answers)")
                    }
                }
            }
        }
    }

    @Test func whatIsNoTextIsRefused() async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { context in
                for (format, words) in [
                    ("text LIKE size", "have types that cannot be compared"),
                    ("size LIKE pattern", "have types that cannot be compared"),
                    ("text MATCHES pattern", "Rule.text and Rule.pattern cannot be compared with MATCHES"),
                    ("text LIKE patern", "Did you mean 'pattern'?"),
                    ("text LIKE parts.pattern", "to-many"),
                    ("text LIKE {pattern}", "cannot be to the right of LIKE"),
                ] {
                    let error = #expect(throws: PredicateTreeError.self, "\(format)") {
                        var request = FetchRequest<ManagedObject>(entityName: "Rule")
                        request.predicate = .format(format)
                        _ = try context.fetch(request)
                    }
                    #expect(error?.message.contains(words) == true, "\(format): \(error?.message ?? "")")
                }
            }
        }
    }
}
