import Foundation
import Testing

@testable import HowdahModel

@Suite struct RoundTripTests {
    @Test func printedTreesParseToThemselves() throws {
        let seed: UInt64 = 20_240_917
        var random = RandomPredicates(seed: seed)
        for round in 0..<5_000 {
            let tree = PredicateTree(random.node(depth: Int.random(in: 0...6, using: &random.generator)))
            let printed = tree.description
            let parsed = PredicateTree.format(printed)
            try #require(parsed == tree, "seed \(seed), round \(round): \(printed) → \(parsed)")
            if round % 50 == 0 {
                let data = try JSONEncoder().encode([tree])
                #expect(try JSONDecoder().decode([PredicateTree].self, from: data) == [tree])
            }
        }
    }

    /// Arguments are values: whatever they hold, the tree has the shape that the format alone gives it.
    @Test func hostileArgumentsNeverChangeTheStructure() throws {
        let seed: UInt64 = 7
        var random = RandomPredicates(seed: seed)
        for round in 0..<5_000 {
            let (first, second) = (random.string(), random.string())
            let tree = try PredicateTree(
                format: "(a == %@ OR NOT b IN %@) AND c CONTAINS[cd] %@", arguments: [first, [second], first])
            let expected = Node.and([
                .or([
                    comparison(.equal, .constant(.string(first.howdahNormalized))),
                    .not(
                        comparison(
                            .in, .collection([.string(second.howdahNormalized)]), lhs: .keyPath(["b"]))),
                ]),
                comparison(
                    .contains, .constant(.string(first.howdahNormalized)), lhs: .keyPath(["c"]),
                    options: [.caseInsensitive, .diacriticInsensitive]),
            ])
            try #require(tree.root == expected, "seed \(seed), round \(round)")
            switch PredicateTree.format("%K == 1", first).root {
            case .invalid(let error): #expect(error.argument == 1)
            case .comparison(.keyPath, .equal, .constant(1), [], .direct): break
            case .comparison(.evaluatedObject, .equal, .constant(1), [], .direct): break
            default: Issue.record("seed \(seed), round \(round): a key path became something else")
            }
        }
    }

    @Test func randomInputNeverTraps() {
        let seed: UInt64 = 99
        var random = RandomPredicates(seed: seed)
        let tokens = [
            "a", "b.c", "(", ")", "{", "}", "[", "]", "[cd]", ",", ".", "==", "<", "AND", "OR", "NOT", "!",
            "ANY",
            "NONE", "IN", "BETWEEN", "LIKE", "'x'", "\"", "'", "1", "-", "1.5", "0x", "1e", "%@", "%K", "%d",
            "%f", "%",
            "%%", "$v", "$", "#", "#in", "@count", ".@count", "SELF", "NULL", "YES", "CAST(", "TRUEPREDICATE",
            "\\", "é",
            "\u{0}", "&&", "||", "&", "SUBQUERY", "👩‍👩‍👧", "{1, 2}", "~", ":", ":=", "\u{301}",
        ]
        var accepted = 0
        for round in 0..<60_000 {
            let format: String
            if round.isMultiple(of: 2) {
                let count = Int.random(in: 0...14, using: &random.generator)
                format = (0..<count).map { _ in random.pick(tokens) }.joined(
                    separator: random.pick(["", " "]))
            } else {
                let bytes = (0..<Int.random(in: 0...24, using: &random.generator)).map { _ in
                    UInt8.random(in: 0...255, using: &random.generator)
                }
                format = String(decoding: bytes, as: UTF8.self)
            }
            let tree = PredicateTree.format(format, random.pick(["x", "a.b"]), 1, [1, 2])
            guard let error = tree.error else {
                accepted += 1
                #expect(PredicateTree.format(tree.description) == tree, "seed \(seed): \(format)")
                continue
            }
            #expect(!error.message.isEmpty && "\(error)".contains("predicate"))
            #expect((error.position ?? -1) >= 0 && (error.position ?? .max) <= format.utf8.count, "\(format)")
        }
        let exact = (0..<60_000).count { _ in
            let count = Int.random(in: 3...7, using: &random.generator)
            let format = (0..<count).map { _ in random.pick(tokens) }.joined(separator: " ")
            let tree = PredicateTree.format(format)
            #expect(
                tree.error != nil || PredicateTree.format(tree.description) == tree, "seed \(seed): \(format)"
            )
            return tree.error == nil
        }
        #expect(accepted + exact > 20, "The tokens make no predicates, so nothing was tested.")
    }
}
