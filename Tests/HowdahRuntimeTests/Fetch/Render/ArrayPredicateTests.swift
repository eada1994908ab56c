import DeclaredModels
import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// The database and memory find the same objects by their arrays.
@Suite(.timeLimit(.minutes(60))) struct ArrayPredicateTests {
    private static let rounds = TestTier.choose(quick: 2, all: 2, nightly: 50)

    @Test func sqlAndMemoryAgree() async throws {
        for seed in 0..<UInt64(Self.rounds) {
            try await withTestStore(DeclaredShelves.model()) { container in
                try await container.perform { context in
                    var random = RandomValues(seed: seed)
                    let shelves = (0..<60).map { number in
                        let shelf = Shelf(context: context)
                        shelf.fill(number, &random)
                        return shelf
                    }
                    // What the predicates ask for by its whole value is rare among random arrays.
                    shelves[0].tags = ["a"]
                    shelves[0].oTags = ["a"]
                    for shelf in shelves where random.generator.chance(80) {
                        shelf.above = random.generator.pick(Array(shelves.prefix(25)))
                        if random.generator.chance(50) { shelf.name = "a" }
                    }
                    try context.save()
                    var decided = 0
                    for tree in ShelfPredicates.formats {
                        let expected = try shelves.filter { try tree.evaluate(with: $0) }
                        let found = try context.fetch(Shelf.self, matching: tree)
                        #expect(Set(found) == Set(expected), "seed \(seed): \(tree)")
                        let others = try context.fetch(Shelf.self, matching: .not(tree))
                        #expect(
                            Set(others) == Set(shelves).subtracting(expected), "seed \(seed): not \(tree)")
                        if !expected.isEmpty, expected.count < shelves.count { decided += 1 }
                    }
                    #expect(decided > ShelfPredicates.formats.count * 8 / 10, "\(decided)")
                    for predicate in ShelfPredicates.predicates {
                        let tree = try PredicateTree(predicate)
                        let expected = try shelves.filter { try predicate.evaluate($0) }
                        #expect(
                            Set(try context.fetch(Shelf.self, where: predicate)) == Set(expected), "\(tree)")
                        #expect(try shelves.filter { try tree.evaluate(with: $0) } == expected, "\(tree)")
                        #expect(
                            !expected.isEmpty && expected.count < shelves.count, "\(tree) decides nothing")
                    }
                }
            }
        }
    }

    @Test func membershipIsWrittenForIndexes() async throws {
        try await withTestStore(DeclaredShelves.model()) { container in
            let wanted: [(PredicateTree, String)] = [
                (.format("tags CONTAINS 'a'"), "\"tags\" @> $1"), (.format("'a' IN tags"), "\"tags\" @> $1"),
                (.format("ANY tags == 'a'"), "\"tags\" @> $1"),
                (.format("ANY tags IN {'a', 'b'}"), "\"tags\" && $1"),
                (.format("tags == %@", ["a"]), "\"tags\" = $1"),
                (.format("ANY int16s == 3"), "\"int16s\" @> $1"),
            ]
            for (tree, text) in wanted {
                container.statementLog.start()
                try await container.perform { _ = try $0.fetch(Shelf.self, matching: tree) }
                let statements = container.statementLog.statements.map(\.sql)
                #expect(statements.contains { $0.contains(text) }, "\(tree): \(statements)")
            }
        }
    }

    @Test func whatArraysCannotBeAskedIsRefused() async throws {
        try await withTestStore(DeclaredShelves.model()) { container in
            try await container.perform { context in
                let shelf = Shelf(context: context)
                shelf.name = "a"
                let refused: [PredicateTree] = [
                    .format("tags == 'a'"), .format("tags > 'a'"), .format("tags IN %@", ["a"]),
                    .format("tags BEGINSWITH 'a'"), .format("name == %@", ["a"]), .format("tags.x == 1"),
                ]
                for tree in refused {
                    #expect(throws: PredicateTreeError.self, "\(tree)") {
                        try context.fetch(Shelf.self, matching: tree)
                    }
                }
            }
        }
    }
}
