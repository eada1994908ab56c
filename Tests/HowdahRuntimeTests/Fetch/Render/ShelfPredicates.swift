import DeclaredModels
import Foundation
import Howdah

/// Predicates over arrays: as formats and as `#Predicate`.
enum ShelfPredicates {
    static let formats: [PredicateTree] = [
        .format("tags CONTAINS %@", "a"), .format("%@ IN tags", "e\u{301}"), .format("NOT (%@ IN tags)", "a"),
        .format("NOT oTags CONTAINS 'a'"), .format("oTags CONTAINS 'a'"), .format("name IN tags"),
        .format("tags CONTAINS name"), .format("tags CONTAINS NULL"), .format("NOT oTags CONTAINS NULL"),
        .format("oTags == NULL"), .format("oTags != NULL"),
        .format("tags == %@", ["a"]), .format("tags != %@", ["a"]), .format("oTags == %@", ["a", "b"]),
        .format("oTags != %@", ["a", "b"]), .format("tags == %@", [String]()),
        .format("oTags == %@", [String]()),
        .format("NOT oTags == %@", ["a"]), .format("oTags == tags"), .format("oTags != tags"),
        .format("tags.@count > 2"), .format("oTags.@count == NULL"), .format("NOT oTags.@count > 1"),
        .format("oTags.@count == tags.@count"), .format("above.oTags.@count > 1"),
        .format("ANY tags == 'a'"), .format("ALL tags == 'a'"), .format("NONE tags == 'a'"),
        .format("NOT ANY oTags == 'a'"), .format("NOT ALL oTags == 'a'"), .format("NOT NONE oTags == 'a'"),
        .format("ANY tags IN {'a', 'ab'}"), .format("ALL tags IN {'a', 'ab'}"),
        .format("NONE oTags IN {'a', 'c'}"),
        .format("NOT ANY oTags IN {'a'}"), .format("ANY tags IN {}"), .format("ALL tags IN {NULL, 'a'}"),
        .format("ANY tags BEGINSWITH 'a'"), .format("ALL oTags LIKE 'a*'"), .format("ANY tags != 'a'"),
        .format("ALL oTags != 'a'"), .format("NONE oTags > 'a'"), .format("ANY tags == NULL"),
        .format("ANY int16s == 2"), .format("ANY int16s == 70000"), .format("ANY int16s == 2.0"),
        .format("ANY int16s > 1.5"), .format("ALL int32s < 5"), .format("int32s CONTAINS 2147483647"),
        .format("ANY int64s BETWEEN {2, 4}"), .format("ANY ints < 0"), .format("ALL ints >= 0"),
        .format("ints == %@", [1, 2]), .format("int64s == %@", [1.0, 2.0]), .format("int64s == %@", [1.5]),
        .format("NOT ints == %@", [1.0]), .format("ints == %@", [Int]()),
        .format("ANY doubles == 1"), .format("ANY doubles == %@", Double.nan), .format("ANY doubles == 0"),
        .format("doubles == %@", [Double.nan]), .format("doubles == %@", [1, 3]), .format("ANY doubles > 2"),
        .format("ANY floats == 0.1"), .format("ANY floats == %@", Float(0.1)), .format("ANY floats == 2.5"),
        .format("ANY decimals == 0.1"), .format("ANY decimals == 1"), .format("decimals == %@", [1.0, 2.5]),
        .format("decimals == %@", [Decimal(1)]), .format("ANY flags == TRUE"), .format("ANY flags == 1"),
        .format("ANY flags == 2"), .format("ALL flags == FALSE"), .format("flags == %@", [true]),
        .format("ANY dates == %@", Date(timeIntervalSinceReferenceDate: 3.123456)),
        .format("ANY dates > %@", Date(timeIntervalSinceReferenceDate: 5)),
        .format("ANY datas == %@", Data([7, 7])), .format("datas CONTAINS %@", Data()),
        .format("ANY uuids == %@", Shelf.sampleUUIDs[0]),
        .format("ANY uuids == %@", Shelf.sampleUUIDs[1].uuidString),
        .format("uuids == %@", [Shelf.sampleUUIDs[0]]), .format("ANY uuids IN %@", [Shelf.sampleUUIDs[0]]),
        .format("ANY urls == %@", Shelf.sampleURLs[0]), .format("ANY urls == 'https://example.org/b'"),
        .format("urls == %@", [Shelf.sampleURLs[2]]), .format("label.lines CONTAINS '3'"),
        .format("ANY label.sizes > 2"),
        .format("label.sizes == NULL"), .format("label.lines.@count == 0"),
        .format("ANY members.tags == 'a'"), .format("ALL members.tags == 'a'"),
        .format("NONE members.oTags == 'a'"),
        .format("members.tags CONTAINS 'a'"), .format("ANY members.tags CONTAINS 'a'"),
        .format("ALL members.oTags CONTAINS 'a'"), .format("NONE members.tags CONTAINS 'a'"),
        .format("ANY tags CONTAINS 'a'"), .format("ALL tags CONTAINS 'b'"),
        .format("ANY members.tags == NULL"), .format("'a' IN members.oTags"),
        .format("NOT ALL members.oTags BEGINSWITH 'a'"), .format("ANY members.ints > 1"),
        .format("ANY members.tags.@count > 1"), .format("ALL members.tags IN {'a', 'b'}"),
        .format("above.tags CONTAINS 'a'"), .format("NOT above.tags CONTAINS 'a'"),
        .format("ANY above.ints > 0"),
        .format("ALL above.oTags == 'a'"), .format("above.tags == %@", ["a"]), .format("above.tags == NULL"),
    ]

    static let predicates: [Predicate<Shelf>] = {
        let (some, none, id) = (["a"], [String](), Shelf.sampleUUIDs[0])
        return [
            #Predicate { $0.tags.contains("a") }, #Predicate { !$0.tags.contains("a") },
            #Predicate { $0.oTags?.contains("a") ?? false },
            #Predicate { $0.oTags?.contains("a") == nil },
            #Predicate { ($0.oTags ?? some).contains("a") }, #Predicate { $0.tags == some },
            #Predicate { $0.oTags != some }, #Predicate { $0.oTags == nil },
            #Predicate { $0.tags == none }, #Predicate { $0.tags.isEmpty },
            #Predicate { $0.tags.count > 1 }, #Predicate { ($0.oTags?.count ?? 5) > 1 },
            #Predicate { $0.tags.contains { $0.starts(with: "a") } },
            #Predicate { $0.int64s.contains { $0 > 3 } }, #Predicate { $0.int64s.allSatisfy { $0 > 3 } },
            #Predicate { $0.int64s.filter { $0 > 3 }.isEmpty }, #Predicate { $0.uuids.contains(id) },
            #Predicate { $0.tags.contains($0.name) },
            #Predicate { $0.above?.tags.contains("a") ?? false },
            #Predicate { $0.label?.lines.contains("3") ?? true },
            #Predicate { $0.members.contains { $0.tags.contains("a") } },
            #Predicate { $0.members.contains { $0.tags.count > 1 } },
        ]
    }()
}
