import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// The database and memory agree about what is the same text without case and diacritics.
@Suite struct FoldedPredicateTests {
    @Test(arguments: [3, 4] as [UInt64])
    func sqlAndMemoryAgreeOnRandomPredicates(seed: UInt64) async throws {
        let rounds = TestTier.choose(quick: 200, all: 1_500, nightly: 60_000)
        try await withTestStore(RandomFoldedPredicates.model()) { container in
            try await container.perform { context in
                var random = RandomFoldedPredicates(seed: seed)
                let words = try random.words(60, in: context)
                try context.save()
                var (decided, refused, failures) = (0, 0, 0)
                for round in 0..<rounds {
                    let tree = random.tree()
                    let place = "seed \(seed), round \(round): \(tree)"
                    var request = FetchRequest<ManagedObject>(entityName: "Word")
                    request.predicate = tree
                    let expected: Set<ManagedObject>
                    do {
                        let evaluator = try PredicateEvaluator(tree)
                        expected = try Set(words.filter { try evaluator.evaluate($0) })
                    } catch let error as PredicateTreeError where error.code == .unsupported {
                        // A pattern outside of the subset; memory may meet a false condition before it.
                        refused += 1
                        #expect(throws: PredicateTreeError.self, "\(place)") { try context.fetch(request) }
                        continue
                    }
                    do {
                        let found = Set(try context.fetch(request))
                        if !expected.isEmpty, expected.count < words.count { decided += 1 }
                        guard found != expected else { continue }
                        let one = found.symmetricDifference(expected).first
                        let values = one.map { word in
                            ["plain", "loose", "other", "link", "tags", "name"].map {
                                "\(word[$0] ?? "nil")".debugDescription
                            }
                        }
                        Issue.record(
                            "\(place) found \(found.count), memory \(expected.count), such as \(values ?? [])"
                        )
                    } catch {
                        Issue.record("\(place): \(error)")
                    }
                    failures += 1
                    if failures > 4 { return }
                }
                #expect(decided > rounds / 4, "\(decided) predicates tell objects apart")
                #expect(refused < rounds / 10)
            }
        }
    }

    /// What Core Data documents for the modifiers.
    @Test func eachModifierInWords() async throws {
        try await withTestStore(RandomFoldedPredicates.model()) { container in
            try await container.perform { context in
                for text in ["Straße", "STRASSE", "strasse", "Sträße"] {
                    context.insert("Word")["plain"] = text
                }
                try context.save()
                for (format, count) in [
                    ("plain == 'strasse'", 1), ("plain ==[c] 'STRASSE'", 3), ("plain ==[d] 'Straße'", 2),
                    ("plain ==[cd] 'strasse'", 4), ("plain !=[c] 'strasse'", 1),
                    ("plain IN[c] {'straße'}", 3),
                    ("plain BEGINSWITH[cd] 'STRA'", 4), ("plain ENDSWITH[c] 'sse'", 4),
                    ("plain CONTAINS[c] 'ASS'", 3), ("plain LIKE[c] 'str*SE'", 4),
                    ("plain ==[cn] 'strasse'", 1),
                    ("plain >[c] 'strasse'", 1), ("plain MATCHES[c] 'STRA(SS|X)E'", 3),
                    ("plain MATCHES 'Stra.e'", 1), ("NOT plain MATCHES[cd] 's.*'", 0),
                ] {
                    var request = FetchRequest<ManagedObject>(entityName: "Word")
                    request.predicate = .format(format)
                    #expect(try context.count(for: request) == count, "\(format)")
                }
            }
        }
    }

    @Test func sortingIgnoresCaseAndThenTellsItApart() async throws {
        try await withTestStore(RandomFoldedPredicates.model()) { container in
            try await container.perform { context in
                var random = RandomFoldedPredicates(seed: 9)
                for name in ["loose", "other"] {
                    for key in ["b", "B", "a", "A", "ä", "ß", "ss", "c"] {
                        let word = context.insert("Word")
                        (word[name], word["plain"]) = (key, random.text())
                    }
                }
                try context.save()
                func sorted(_ keys: SortKey<ManagedObject>...) throws -> [ManagedObject] {
                    var request = FetchRequest<ManagedObject>(entityName: "Word")
                    request.predicate = .format("loose != nil")
                    request.sortDescriptors = keys
                    return try context.fetch(request)
                }
                let ascending = try sorted(.key("loose")).map { $0["loose"] as? String }
                #expect(ascending == ["A", "a", "B", "b", "c", "ss", "ß", "ä"])
                let descending = try sorted(.key("loose", ascending: false)).map { $0["loose"] as? String }
                #expect(descending == ascending.reversed())
                // What differs by case only leaves the order to the next key.
                let pairs = try sorted(.key("loose"), .key("plain"))
                for (a, b) in zip(pairs, pairs.dropFirst()) {
                    let folded = [a, b].map { Folding.folded($0["loose"] as? String ?? "", .caseInsensitive) }
                    let plain = [a, b].map { Array(($0["plain"] as? String ?? "").utf8) }
                    #expect(
                        folded[0] < folded[1]
                            || folded[0] == folded[1] && !plain[1].lexicographicallyPrecedes(plain[0]))
                }
            }
        }
    }
}
