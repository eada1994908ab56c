import Foundation
import Testing

@testable import HowdahModel

/// The matcher gives the answers of ICU, in time proportional to the length of the text.
@Suite struct PatternMatcherTests {
    @Test("Random patterns match the texts that ICU says they match", arguments: [1, 2, 3, 4] as [UInt64])
    func randomPatternsAgreeWithICU(seed: UInt64) throws {
        var random = RandomPatterns(seed: seed)
        var (patterns, matches, others, endless) = (0, 0, 0, 0)
        for _ in 0..<600 {
            let depth = random.random.pick([1, 2, 2, 2, 3])
            let (regex, options) = (random.pattern(depth: depth), random.options())
            guard let pattern = try? PredicatePattern(regex, options) else { continue }
            patterns += 1
            let oracle = try BoundedExpression(pattern.text)
            let node = PatternNode(portable: pattern.text)
            for _ in 0..<12 {
                let text = Folding.folded(random.text(for: node), options)
                if text.utf16.count > 24 { continue }
                // ICU ends after too many steps as if there were no match, even for some short texts.
                guard let isMatch = try? oracle.matches(text) else {
                    endless += 1
                    continue
                }
                if isMatch { matches += 1 } else { others += 1 }
                #expect(
                    pattern.matches(text) == isMatch,
                    "seed \(seed): \(regex.debugDescription) \(options) on \(text.debugDescription)")
            }
        }
        #expect(
            patterns > 400 && matches > 2_000 && others > 1_000 && endless < 60,
            "\(patterns), \(matches), \(others), \(endless)")
    }

    @Test(
        "A dot matches any scalar but a line terminator",
        arguments: ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"])
    func dot(terminator: String) throws {
        let pattern = try PredicatePattern("a.b")
        #expect(!pattern.matches("a\(terminator)b"))
        #expect(pattern.matches("a𝔘b") && pattern.matches("a\u{301}b") && !pattern.matches("a\r\nb"))
        #expect(!pattern.matches("ae\u{301}b") && pattern.matches("a\u{0B}b") && pattern.matches("a\u{0}b"))
    }

    @Test("A pattern that backtracks exponentially in ICU ends at once")
    func catastrophicPatterns() throws {
        let text = String(repeating: "x", count: 10_000)
        try expectQuick { () throws in
            for pattern in [
                "(x+x+)+y", "(x*)*y", "(x|xx)+y", "(x|x?)+y", "((x{0,2}){0,2})*y", "x*x*x*x*x*x*x*y",
            ] {
                let pattern = try PredicatePattern(pattern)
                #expect(!pattern.matches(text))
                #expect(pattern.matches(text + "y"))
            }
        }
    }

    @Test("A predicate with such a pattern is evaluated at once")
    func predicate() throws {
        let subject = Subject(1, ["s": .value(.string(String(repeating: "x", count: 10_000)))])
        try expectQuick { () throws in
            for (format, pattern) in [("s MATCHES %@", "(x+x+)+y"), ("s MATCHES[c] %@", "(X+x+)+Y")] {
                #expect(try !PredicateEvaluator(.format(format, pattern)).evaluate(subject))
            }
            #expect(try PredicateEvaluator(.format("s MATCHES %@", "(x+x+)+y?")).evaluate(subject))
        }
    }

    @Test("Texts of 100,000 characters are matched as a whole")
    func longTexts() throws {
        let words = String(repeating: "größe 東京 𝔘\n", count: 10_000)
        try expectQuick { () throws in
            #expect(try PredicatePattern("([^ ]+ [^ ]+ .\\n)*").matches(words))
            #expect(try PredicatePattern("(\\S|\\s)*\\n").matches(words))
            #expect(try !PredicatePattern(".*").matches(words))
        }
        #expect(words.unicodeScalars.count == 110_000)
    }

    @Test("A pattern with more states than are kept gives the same answers")
    func manyStates() throws {
        let pattern = try PredicatePattern("[ab]*a[ab]{14}")
        var random = RandomPredicates(seed: 9)
        for _ in 0..<40 {
            let letters = (0..<2_000).map { _ in random.pick(["a", "b"]) }
            #expect(pattern.matches(letters.joined()) == (letters[letters.count - 15] == "a"))
        }
    }

    @Test("Tasks that share a pattern get the answers of their own texts")
    func sharedPattern() async throws {
        let pattern = try PredicatePattern("([a-d]*[e-h]{2}|.*x)[a-z]{3}")
        let texts = (0..<200).map { number -> String in
            var random = RandomPredicates(seed: UInt64(number))
            return (0..<8).map { _ in random.pick(["a", "b", "e", "g", "x", "z"]) }.joined()
        }
        let expected = texts.map { text in (try? PredicatePattern(pattern.text))?.matches(text) ?? false }
        #expect(Set(expected).count == 2)
        await withTaskGroup(of: [Bool].self) { group in
            for _ in 0..<8 { group.addTask { texts.map(pattern.matches) } }
            for await answers in group { #expect(answers == expected) }
        }
    }

    @Test(
        "A pattern that repeats too much is refused in memory and left to the database",
        arguments: [
            "(a{255}){100}", "((((((((a{255}){255}){255}){255}){255}){255}){255}){255}){255}",
            String(repeating: "a", count: 20_001), "([a-z]{0,255}){0,100}",
        ])
    func limit(pattern: String) throws {
        let error = #expect(throws: PredicateTreeError.self) { try PredicatePattern(pattern) }
        #expect(error?.code == .unsupported && error?.message.contains("20000 states") == true)
        #expect(try !PredicatePattern.portableText(of: pattern).isEmpty)
    }

    @Test("Repetitions of nothing and of much are within the limit")
    func withinTheLimit() throws {
        let nothing = String(repeating: "(", count: 60) + String(repeating: "){255}", count: 60)
        try expectQuick { () throws in
            #expect(try PredicatePattern(nothing).matches(""))
            #expect(try PredicatePattern("(a{255}){78}").matches(String(repeating: "a", count: 19_890)))
        }
    }

    /// Expects that `body` takes this thread less than a second, whatever other tests do meanwhile.
    private func expectQuick(location: SourceLocation = #_sourceLocation, _ body: () throws -> Void) rethrows
    {
        let start = Self.processorTime
        try body()
        #expect(Self.processorTime - start < .seconds(1), sourceLocation: location)
    }

    /// The processor time of this thread.
    static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
