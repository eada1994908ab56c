import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// The database finds the objects for which Foundation says that a `#Predicate` holds.
@Suite struct PredicateAgreementTests {
    private static let rounds = TestTier.choose(quick: 1, all: 3, nightly: 100)

    @Test func sqlAndSwiftAgree() async throws {
        for seed in 0..<UInt64(Self.rounds) {
            try await withTestStore(ManagedObjectModel(Sample.self)) { container in
                try await container.perform { context in
                    var random = RandomValues(seed: seed)
                    let objects = (0..<40).map { _ in
                        let object = Sample(context: context)
                        object.fillTamely(&random)
                        return object
                    }
                    for object in objects where random.generator.chance(70) {
                        object.owner = random.generator.pick(Array(objects.prefix(15)))
                    }
                    try context.save()
                    let ids = objects.map(\.objectID)
                    let predicates = SamplePredicates(example: objects[3], ids: Array(ids.prefix(9))).all
                    var decided = 0
                    for (name, predicate) in predicates {
                        let expected = try objects.filter { try predicate.evaluate($0) }
                        let tree = try PredicateTree(predicate)
                        let found = try context.fetch(Sample.self, where: predicate)
                        let inMemory = try objects.filter { try tree.evaluate(with: $0) }
                        #expect(Set(found) == Set(expected), "seed \(seed), \(name): \(tree)")
                        #expect(Set(inMemory) == Set(expected), "seed \(seed), \(name) in memory: \(tree)")
                        #expect(try context.count(Sample.self, where: predicate) == expected.count)
                        let others = try context.fetch(Sample.self, matching: .not(tree))
                        #expect(Set(others) == Set(objects).subtracting(expected), "not \(name): \(tree)")
                        if !expected.isEmpty, expected.count < objects.count { decided += 1 }
                    }
                    for _ in 0..<50 {
                        let (a, b) = (random.generator.pick(predicates), random.generator.pick(predicates))
                        let either = PredicateTree.or([try PredicateTree(a.1), .not(try PredicateTree(b.1))])
                        let expected = try objects.filter { try a.1.evaluate($0) || !b.1.evaluate($0) }
                        #expect(
                            Set(try context.fetch(Sample.self, matching: either)) == Set(expected),
                            "seed \(seed): \(either)")
                    }
                    #expect(predicates.count >= 110)
                    #expect(decided > predicates.count * 8 / 10, "too few predicates tell objects apart")
                }
            }
        }
    }

    /// Where the database gives another answer than Foundation, as `docs/predicates.md` says.
    @Test func documentedDifferences() async throws {
        try await withTestStore(ManagedObjectModel(Sample.self)) { container in
            try await container.perform { context in
                var random = RandomValues(seed: 7)
                let object = Sample(context: context)
                object.fill(&random)
                (object.oI64, object.dbl, object.str) = (nil, .nan, "👩‍👩‍👧")
                try context.save()
                let found = { try context.fetch(Sample.self, where: $0).count == 1 }

                let unwrapped = #Predicate<Sample> { $0.oI64! > 3 }
                #expect(throws: PredicateError.self) { try unwrapped.evaluate(object) }
                #expect(try !found(unwrapped))

                let (missing, one) = (0.0 * .infinity, 1.0)
                let (isNaN, isGreater) = (
                    #Predicate<Sample> { $0.dbl == missing }, #Predicate<Sample> { $0.dbl > one }
                )
                #expect(try !isNaN.evaluate(object) && !isGreater.evaluate(object))
                #expect(try found(isNaN) && found(isGreater))

                let part = "👩"
                let contains = #Predicate<Sample> { $0.str.contains(part) }
                #expect(try !contains.evaluate(object))
                #expect(try found(contains))
            }
        }
    }
}

extension Sample {
    /// Gives every attribute one of few values, so that comparisons hold for some objects and not for others; none on
    /// which Swift and the database differ by design.
    fileprivate func fillTamely(_ random: inout RandomValues) {
        fill(&random)
        func pick<T>(_ values: [T]) -> T { random.generator.pick(values) }
        func maybe<T>(_ values: [T]) -> T? { random.generator.chance(35) ? nil : pick(values) }
        let texts = ["", "a", "ab", "b", "xa", "é"]
        let seconds = [0.0, 1, 2].map { Date(timeIntervalSinceReferenceDate: $0) }
        let decimals = ["0", "0.1", "1", "2.5"].compactMap { Decimal(string: $0) }
        (i16, i32, i64) = (pick([0, 1, 2]), pick([0, 1, 2]), pick([0, 1, 2, 3]))
        (dec, dbl, flt) = (pick(decimals), pick([0, 0.1, 1, 5]), pick([0, 0.1, 1]))
        (str, flag, date) = (pick(texts), pick([true, false]), pick(seconds))
        (oI16, oI32, oI64) = (maybe([0, 1, 2]), maybe([0, 1]), maybe([0, 1, 2]))
        (oStr, oFlag, oDate) = (maybe(texts), maybe([true, false]), maybe(seconds))
        box = Box(width: pick([0, 1, 2]), tag: maybe(texts), spot: nil)
        place = maybe([
            Place(name: "a", spot: Spot(x: 1, y: nil), seenAt: nil),
            Place(name: nil, spot: Spot(x: -1, y: 2), seenAt: nil),
            Place(name: "b", spot: nil, seenAt: seconds[0]),
        ])
    }
}
