import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

/// Indexes, sets and functions of arrays in the database and in memory, and how deep computed operands may be.
@Suite struct ComputedPredicateTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "List",
                properties: [
                    .attribute("name", .string), .attribute("tags", .array(of: .string)),
                    .attribute("sizes", .array(of: .integer64)),
                    .relationship("items", to: "Item", inverse: "list", toMany: true, ordered: true),
                    .relationship("picks", to: "Item", inverse: "pickedBy", toMany: true, ordered: true),
                ]),
            EntityDescription(
                "Item",
                properties: [
                    .attribute("n", .integer64), .attribute("label", .string, caseInsensitive: true),
                    .attribute("json", .transformable, userInfo: [MappingKey.jsonb: "true"]),
                    .relationship("list", to: "List", inverse: "items"),
                    .relationship("pickedBy", to: "List", inverse: "picks", toMany: true),
                ]),
        ])
    }

    private static let formats = [
        "items[0].n == 1", "items[FIRST].n > items[LAST].n", "items[LAST] == picks[0]", "items[1] == NULL",
        "items[SIZE] > 1", "picks[0].label == 'a'", "picks[2].n + 1 > 1", "picks[LAST].list.name == name",
        "tags[0] == 'a'", "tags[LAST] == 'b'", "tags[5] == NULL", "uppercase:(tags[0]) == 'A'",
        "tags[SIZE] == 2",
        "max:(sizes) == 3", "sum:(sizes) > 2", "average:(sizes) > 1", "count:(tags) == NULL",
        "min:(tags) == 'a'",
        "(items UNION picks).@count > 3", "(items INTERSECT picks).@count == 0",
        "ANY (items MINUS picks).n > 2",
        "(items UNION picks).@sum.n > 5", "'a' IN (tags UNION %@)", "count:(tags INTERSECT %@) == 1",
        "SUBQUERY(items, $i, $i IN picks).@count == 0",
        "SUBQUERY(items, $i, $i.pickedBy.@count > 0).n CONTAINS 1",
        "SUBQUERY(picks, $p, $p.list == SELF).@max.n > 1", "ANY items.label == uppercase:('a')",
        "SUBQUERY(items, $i, $i.label == 'A').@count > 0",
        "SUBQUERY(items, $i, $i.label == $i.list.name).@count > 0",
        "max:({items.@count, picks.@count}) > 2", "name IN {tags[0], 'b'}",
        "count:(items.@distinctUnionOfObjects.label) == 2", "FUNCTION(name, 'uppercaseString') == 'A'",
        "ANY {items.@count, picks.@count} == 2", "ALL {1, picks.@count} == 1",
        "TERNARY(items.@count > 2, items[0], picks[0]) == items[FIRST]",
        "items[0].pickedBy.@count == 1",
    ]

    @Test func databaseAndMemoryAgree() async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { context in
                var random = SeededGenerator(seed: 17)
                let lists = (0..<25).map { _ in
                    let list = context.insert("List")
                    if random.chance(80) { list["name"] = random.pick(["a", "b", "A"]) }
                    if random.chance(80) {
                        list["tags"] = (0..<random.pick([0, 1, 2])).map { _ in random.pick(["a", "b", "é"]) }
                    }
                    if random.chance(80) {
                        list["sizes"] = (0..<random.pick([0, 1, 3])).map { _ in Int64(random.pick([1, 2, 3]))
                        }
                    }
                    return list
                }
                let items = (0..<60).map { _ in
                    let item = context.insert("Item")
                    if random.chance(80) { item["n"] = Int64(random.pick([1, 2, 3, 4])) }
                    if random.chance(80) { item["label"] = random.pick(["a", "A", "b"]) }
                    if random.chance(85) { item["list"] = random.pick(lists) }
                    return item
                }
                for list in lists {
                    let start = random.pick(Array(0..<57))
                    list["picks"] = Array(items[start..<start + random.pick([0, 1, 2, 3])])
                }
                try context.save()
                var decided = 0
                for format in Self.formats {
                    let arguments: [[String]] = format.contains("%@") ? [["a"]] : []
                    do {
                        let tree = try PredicateTree(format: format, arguments: arguments)
                        var request = FetchRequest<ManagedObject>(entityName: "List")
                        request.predicate = tree
                        let expected = try lists.filter { try tree.evaluate(with: $0) }
                        #expect(Set(try context.fetch(request)) == Set(expected), "\(format)")
                        if !expected.isEmpty, expected.count < lists.count { decided += 1 }
                    } catch {
                        Issue.record("\(format): \(error)")
                        context.clearFailure()
                    }
                }
                // The same before a save that changes the order, and who is a member.
                for list in lists {
                    let members = list.orderedMembers(forKey: "items")
                    if members.count > 1 { members.move(members[members.count - 1], to: 0) }
                }
                for item in items.prefix(10) { item["list"] = random.pick(lists) }
                for format in Self.formats where !format.contains("%@") {
                    let tree = try PredicateTree(format: format)
                    var request = FetchRequest<ManagedObject>(entityName: "List")
                    request.predicate = tree
                    let expected = try lists.filter { try tree.evaluate(with: $0) }
                    #expect(Set(try context.fetch(request)) == Set(expected), "unsaved: \(format)")
                }
                #expect(decided > Self.formats.count / 2, "\(decided) of \(Self.formats.count) decide")
            }
        }
    }

    /// Within the limit everything runs; more than 64 tables in one statement are refused before.
    @Test func deepOperandsRunOrAreRefused() async throws {
        try await withTestStore(ManagedObjectModel(Sample.self)) { container in
            try await container.perform { context in
                var random = RandomValues(seed: 5)
                let object = Sample(context: context)
                object.fill(&random)
                (object.i16, object.i64, object.dbl, object.dec, object.oStr) = (3, 4, 2.5, 1, "ab")
                try context.save()
                func nested(_ before: String, _ core: String, _ after: String, _ count: Int) -> String {
                    String(repeating: before, count: count) + core + String(repeating: after, count: count)
                }
                var shapes: [String] = []
                for count in [10, 60, 120, 250] {
                    shapes += [
                        nested("(", "i64", " + 1)", count) + " == \(4 + count)",
                        nested("sqrt:(", "dbl * dbl", ")", count) + " >= 1",
                        nested("(", "dec", " + 1)", count) + " == \(1 + count)",
                        nested("uppercase:(", "oStr", ")", count) + " == 'AB'",
                        nested("TERNARY(i16 == 3, ", "i64", ", 0)", count) + " == 4",
                        nested("-(", "i64", ")", count) + " == 4",
                        "SELF IN " + nested("SUBQUERY(", "owned", ", $x, TRUEPREDICATE)", count)
                            + " OR i16 == 3",
                        nested("SUBQUERY(owned, $x, ", "TRUEPREDICATE", ").@count == 0", count - 1),
                        "i16 == 3 AND ("
                            + Array(repeating: "i16 + i64 == 7", count: count * 10).joined(separator: " AND ")
                            + ")",
                        "max:({" + Array(repeating: "i64 + 1", count: count).joined(separator: ", ")
                            + "}) == 5",
                    ]
                }
                for format in shapes {
                    do {
                        let tree = try PredicateTree(format: format)
                        #expect(try tree.evaluate(with: object), "\(format.prefix(80))")
                        let found = try context.fetch(Sample.self, matching: tree)
                        #expect(found == [object], "\(format.prefix(80))")
                    } catch let error as PredicateTreeError {
                        #expect(error.code == .tooLarge, "\(format.prefix(80)): \(error)")
                    } catch let error as FetchError {
                        #expect(error.code == .invalidRequest, "\(format.prefix(80)): \(error)")
                        #expect(error.message.contains("more than 64"), "\(format.prefix(80)): \(error)")
                        context.clearFailure()
                    }
                }
            }
        }
    }

    /// Whatever stands in texts, they are parameters.
    @Test func hostileTextStaysText() async throws {
        try await withTestStore(ManagedObjectModel(Sample.self)) { container in
            try await container.perform { context in
                var random = RandomValues(seed: 6)
                let texts = [
                    "'); DROP TABLE sample; --", "$1", "\\", "\"", "' OR ''='", "%s", "\u{202E}x", "1e999",
                    "NaN", "-",
                ]
                for text in texts {
                    let object = Sample(context: context)
                    object.fill(&random)
                    object.str = text
                }
                try context.save()
                for text in texts {
                    for format in [
                        "uppercase:(str) == uppercase:(%@)", "TERNARY(str == %@, 1, 0) == 1",
                        "CAST(str, 'NSNumber') != 5 AND str == %@", "length:(str) == length:(%@)",
                    ] {
                        let tree = try PredicateTree(format: format, arguments: [text])
                        let found = try context.fetch(Sample.self, matching: tree)
                        #expect(!found.isEmpty, "\(format) with \(text)")
                    }
                }
                #expect(try context.count(Sample.self) == texts.count)
            }
        }
    }
}
