import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import Testing

/// The database and the evaluator in memory find the same objects.
@Suite struct AgreementTests {
    private static let isNightly = ProcessInfo.processInfo.environment["HOWDAH_NIGHTLY"] != nil

    @Test func sqlAndMemoryAgreeOnRandomPredicates() async throws {
        let rounds = Self.isNightly ? 220_000 : 3_000
        try await withTemporaryStore(ManagedObjectModel(Sample.self)) { container in
            try await container.perform { context in
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
                var (found, failures) = (0, 0)
                for round in 0..<rounds {
                    let tree = trees.tree()
                    let evaluator = try PredicateEvaluator(tree)
                    let inMemory = try Set(objects.filter { try evaluator.evaluate($0) })
                    var request = FetchRequest<Sample>()
                    request.predicate = tree
                    do {
                        let stored = Set(try context.fetch(request))
                        found += stored.count
                        guard stored != inMemory else { continue }
                        let extra = stored.symmetricDifference(inMemory).first
                        Issue.record(
                            """
                            seed \(seed), round \(round): \(tree)
                            SQL \(stored.count), memory \(inMemory.count); \(extra.map(stored.contains) ?? false ? "only SQL" : "only memory") \
                            has \(extra.map { describe($0, tree) } ?? "")
                            """)
                    } catch {
                        Issue.record("seed \(seed), round \(round): \(tree)\n\(error)")
                        context.clearFailure()
                    }
                    failures += 1
                    if failures == 10 { return }
                }
                #expect(found > rounds, "the predicates matched too little to say anything: \(found)")
                #expect(found < rounds * 39)
            }
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
        ] + computed)
    func sqlAndMemoryAgree(format: String) async throws {
        try await withTemporaryStore(ManagedObjectModel(Sample.self)) { container in
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
