import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

/// The database and the evaluator in memory find the same objects.
@Suite struct AgreementTests {
    @Test func sqlAndMemoryAgreeOnRandomPredicates() async throws {
        let rounds = TestTier.choose(quick: 300, all: 3_000, nightly: 220_000)
        try await withTestStore(ManagedObjectModel(Sample.self)) { container in
            try await container.perform { context in
                // The texts of all rounds would fill the memory.
                container.statementLog.stop()
                let seed: UInt64 = 40
                var random = RandomValues(seed: seed)
                let objects = (0..<40).map { _ in
                    let object = Sample(context: context)
                    object.fill(&random)
                    return object
                }
                for object in objects where random.generator.chance(60) {
                    object.owner = random.generator.pick(objects)
                }
                try context.save()
                let ids = objects.map {
                    Value.reference(ObjectReference(key: $0.objectID.key, entity: "Sample"))
                }
                var trees = RandomSamplePredicates(seed: seed + 1, objectIDs: ids)
                var (found, refused, failures) = (0, 0, 0)
                let byID = Dictionary(uniqueKeysWithValues: objects.map { ($0.objectID, $0) })
                for round in 0..<rounds {
                    if round.isMultiple(of: 20_000), round > 0 { print("round \(round)") }
                    let tree = trees.tree()
                    let inMemory = Result { () throws -> Set<Sample> in
                        let evaluator = try PredicateEvaluator(tree)
                        return try Set(objects.filter { try evaluator.evaluate($0) })
                    }
                    var request = FetchRequest<Sample>()
                    request.predicate = tree
                    let stored = Result {
                        try Set(context.fetchObjectIDs(request).compactMap { byID[$0] })
                    }
                    if (try? stored.get()) == nil { context.clearFailure() }
                    if let difference = difference(stored, inMemory, tree) {
                        Issue.record("seed \(seed), round \(round): \(tree)\n\(difference)")
                        failures += 1
                        if failures == 10 { return }
                    } else if let stored = try? stored.get() {
                        found += stored.count
                    } else {
                        refused += 1
                    }
                }
                #expect(refused * 100 <= rounds, "\(refused) predicates were refused")
                #expect(found > rounds, "the predicates matched too little to say anything: \(found)")
                #expect(found < rounds * 39)
            }
        }
    }

    /// How the answers differ; nil where both found the same, or refused alike.
    private func difference(
        _ stored: Result<Set<Sample>, any Error>, _ inMemory: Result<Set<Sample>, any Error>,
        _ tree: PredicateTree
    ) -> String? {
        switch (stored, inMemory) {
        case (.success(let stored), .success(let inMemory)):
            guard let extra = stored.symmetricDifference(inMemory).first else { return nil }
            return """
                SQL \(stored.count), memory \(inMemory.count); only \(stored.contains(extra) ? "SQL" : "memory") \
                has \(describe(extra, tree))
                """
        case (.failure(let stored as PredicateTreeError), .failure(let inMemory as PredicateTreeError))
        where stored.code == inMemory.code:
            return nil
        case (.failure(let stored), .failure(let inMemory)):
            return "SQL refuses: \(stored)\nmemory refuses: \(inMemory)"
        case (.failure(let error), .success): return "only SQL refuses: \(error)"
        case (.success, .failure(let error)): return "only memory refuses: \(error)"
        }
    }

    static let computed = [
        "i16 + 1 > 5", "i64 * i64 == NULL", "oI64 / oI32 == NULL", "oI32 / 2 == 2", "dbl + oDbl > 1",
        "dec / 3 < 1",
        "dec * dec == NULL", "oDec + oDec == oDec * 2", "flt ** 2 > 4", "i16 & 5 == 5", "i64 << 1 < 0",
        "uppercase:(oStr) == 'ÅNGSTRÖM'", "lowercase:(uppercase:(str)) == lowercase:(str)",
        "length:(oStr) > 1",
        "CAST(date, 'NSNumber') > 0", "CAST(oDbl, 'NSDate') < date", "CAST(i64, 'NSDate') == NULL",
        "CAST(str, 'NSNumber') == NULL", "CAST(oUid, 'NSString') != NULL", "date > now()",
        "TERNARY(oFlag == YES, oStr, str) == 'a'", "TERNARY(owner == NULL, SELF, owner) == SELF",
        "owned.@sum.i64 == NULL", "owned.@sum.dbl == 0", "owned.@avg.oDec > 0", "owned.@avg.oI16 == 1",
        "owned.@max.oDate > date",
        "sum:(owned.owned.oI16) == 0", "owner.owned.@max.i16 == i16", "max:({i16, i32, i64}) == i64",
        "SUBQUERY(owned, $x, $x.i16 > i16).@count > 0",
        "SUBQUERY(owned, $x, $x.oStr == str OR $x.oStr == NULL).@count == 0",
        "ANY SUBQUERY(owner.owned, $x, $x != SELF).i16 == i16",
        "SUBQUERY(owned, $x, $x.owned.@count > 0).@max.i16 > 0",
        "SUBQUERY(owned, $x, SUBQUERY($x.owned, $y, $y.i16 < $x.i16).@count > 0).@count > 0",
        "SELF IN (owned UNION owner.owned)", "(owner.owned MINUS owned).@count > 1", "ANY owned.i16 < i16",
        "ANY owned.owned.i16 == 1", "ALL owned.owned.oStr != NULL", "oI32 IN {i16, 5, oI64}",
        "i32 BETWEEN {i16, i64}", "'a' BEGINSWITH oStr", "str ENDSWITH oStr", "oStr IN str",
        "owned.@distinctUnionOfObjects.i16 CONTAINS 5", "count:(owned.@distinctUnionOfObjects.oI16) > 1",
    ]

    /// What differed once.
    @Test(
        arguments: [
            "oDec > 0.1", "oDec == 0.1", "flag == 5", "oFlag < 1", "i64 IN {1.5, 1, 5.0}", "oFlt IN {0.1, 5}",
            "owner.owned.@count == nil", "owner.owned.@count == 0", "NOT owner.owned.@count == 0",
            "owned.@count IN {1, 2}",
            "owned.@count BETWEEN {1, 3}", "ANY owner.owned.oStr == nil", "ALL owner.owned.i16 == 1",
            "NONE owner.owned.i16 == 1",
            "owned.i16 CONTAINS 5", "5 IN owned.i16", "oDbl == oDec", "i64 < oDbl", "place == nil",
            "place.spot != nil",
            "place.spot.x == CAST('nan', 'Double')", "oI64 < 1e300", "oI64 > CAST('-inf', 'Double')",
            "oStr IN 'Ångström'",
            "'' IN oStr", "oStr LIKE '\\\\*'", "oStr LIKE '*_%'", "oUrl BEGINSWITH 'https'",
            "dec BETWEEN {0.05, 1e200}",
            "oI64 <= oI64 ** 1", "oI64 == oI64 ** 1", "i64 >= oI64 ** oFlag", "oDbl > i64",
            // A sum of nothing is of the kind of what would have been summed.
            "sum:({dec, sum:({oDec, oDec})}) == dec", "sum:({dec, owner.owned.@sum.oDec}) > 0",
            "sum:({dec, sum:({CAST(oDbl, 'NSDecimalNumber')})}) == dec",
            "sum:({dbl + 0.0, SUBQUERY(owned, $x, FALSEPREDICATE).@sum.oDbl}) == dbl",
        ] + computed)
    func sqlAndMemoryAgree(format: String) async throws {
        try await withTestStore(ManagedObjectModel(Sample.self)) { container in
            try await container.perform { context in
                var random = RandomValues(seed: 42)
                let objects = (0..<30).map { _ in
                    let object = Sample(context: context)
                    object.fill(&random)
                    return object
                }
                for object in objects where random.generator.chance(60) {
                    object.owner = random.generator.pick(objects)
                }
                try context.save()
                let tree = PredicateTree.format(format)
                let inMemory = try objects.filter { try tree.evaluate(with: $0) }
                #expect(Set(try context.fetch(Sample.self, matching: tree)) == Set(inMemory))
                let other = try objects.filter { try PredicateTree.not(tree).evaluate(with: $0) }
                #expect(Set(try context.fetch(Sample.self, matching: .not(tree))) == Set(other))
                #expect(inMemory.count + other.count == 30)
            }
        }
    }

    private func describe(_ object: Sample, _ tree: PredicateTree) -> String {
        Sample.attributeNames.filter { tree.description.contains($0) }
            .map { "\($0) = \(object.value(forKey: $0).map { "\($0)" } ?? "nil")" }.joined(separator: ", ")
            + ", owner \(object.owner == nil ? "nil" : "set"), owned \(object.owned.count)"
    }
}
