import Foundation
import Howdah
import HowdahMigration
import HowdahTesting
import TestSupport
import Testing

/// What attributes are given is the same by statements and one by one.
@Suite(.needsSession) struct MappedValueTests {
    /// Shelves with none to three boxes each, whose values are nil, ordinary, or at an edge.
    private static func fill(_ context: ManagedObjectContext) throws {
        var random = SeededGenerator(seed: 20)
        for number in 0..<24 {
            let shelf = context.insert("Shelf")
            set(shelf, number, &random)
            for _ in 0..<(number % 4) {
                let box = context.insert("Box")
                set(box, Int.random(in: 0..<24, using: &random), &random)
                shelf.orderedMembers(forKey: "boxes").append(box)
            }
        }
    }

    private static func set(_ object: ManagedObject, _ number: Int, _ random: inout SeededGenerator) {
        guard number % 6 > 0 else { return }
        func one<T>(_ values: [T?]) -> T? { values[Int.random(in: 0..<values.count, using: &random)] }
        object["label"] = one([nil, "", "Straße", "İx", "é\u{301}", "7", "-1.5e3"])
        object["w"] = one([nil, 0, 1, -7, 40, 1_000_000, 3] as [Int64?])
        object["s"] = one([nil, 0, -3, 32_767, -32_768] as [Int64?])
        object["d"] = one([nil, 0, -0.5, 2.5, 1e15, 0.1] as [Double?])
        object["f"] = one([nil, 0, 0.1, -2.5] as [Float?])
        object["m"] = one([nil, 0, Decimal(string: "0.1"), Decimal(string: "-12345.678")] as [Decimal?])
        object["b"] = one([nil, true, false])
        object["t"] = one([nil, Date(timeIntervalSinceReferenceDate: 0.5), Date(timeIntervalSince1970: -1)])
        object["u"] = one([nil, UUID(uuidString: "00000000-0000-4000-8000-00000000000A")])
        object["a"] = one([nil, [], [3, -1, 3]] as [[Int64]?])
    }

    private static let computed: [ShelfStore.Computed] = [
        .init("$source.boxes.@count", .integer64), .init("$source.boxes.@sum.w", .integer64),
        .init("$source.boxes.@sum.s", .integer32), .init("$source.boxes.@sum.d", .double),
        .init("$source.boxes.@sum.f", .double), .init("$source.boxes.@sum.m", .decimal),
        .init("$source.boxes.@avg.w", .double), .init("$source.boxes.@avg.m", .decimal),
        .init("$source.boxes.@max.w", .integer64), .init("$source.boxes.@min.d", .double),
        .init("$source.boxes.@max.label", .string), .init("$source.boxes.@min.t", .date),
        .init("$source.boxes.@max.f", .float), .init("$source.boxes.@count + 1", .integer16),
        .init("count:($source.boxes)", .integer64), .init("$source.boxes[SIZE]", .integer64),
        .init("sum:($source.boxes.w)", .integer64), .init("max:($source.boxes.w)", .integer64),
        .init("$source.boxes[FIRST].w", .integer64), .init("$source.boxes[LAST].label", .string),
        .init("$source.boxes[1].d", .double),
        .init("count:($source.boxes.@distinctUnionOfObjects.s)", .integer64),
        .init("SUBQUERY($source.boxes, $x, $x.w > 0).@count", .integer64),
        .init("SUBQUERY($source.boxes, $x, $x.w > 0).@sum.w", .integer64),
        .init("SUBQUERY($source.boxes, $x, $x.w == $source.w).@max.w", .integer64),
        .init("$source.w / 0", .integer64),
        .init("$source.a.@count", .integer64), .init("sum:($source.a)", .integer64),
        .init("max:($source.a)", .integer64), .init("$source.a[0]", .integer64),
        .init("$source.a[LAST]", .integer64), .init("$source.a[7]", .integer64),
        .init("max:({$source.w, $source.s})", .integer64), .init("$source.w", .double),
        .init("$source.s", .decimal), .init("$source.w", .boolean), .init("$source.b", .integer16),
        .init("$source.f", .double), .init("$source.m", .double), .init("$source.d", .decimal),
        .init("$source.f", .decimal), .init("$source.d", .float), .init("$source.m", .float),
        .init("$source.w + $source.s", .integer64), .init("$source.w * $source.d", .double),
        .init("$source.m - $source.w", .decimal), .init("-$source.w", .integer64),
        .init("$source.w / 7", .integer64), .init("$source.d / 2", .double), .init("$source.m / 3", .decimal),
        .init("modulus:by:($source.w, 3)", .integer64), .init("$source.w & 5", .integer64),
        .init("$source.w << 2", .integer64), .init("abs:($source.d)", .double),
        .init("floor:($source.d)", .integer64), .init("trunc:($source.m)", .integer64),
        .init("ceiling:($source.f)", .integer16), .init("uppercase($source.label)", .string),
        .init("lowercase($source.label)", .string), .init("canonical:($source.label)", .string),
        .init("length:($source.label)", .integer64), .init("CAST($source.label, 'NSNumber')", .double),
        .init("CAST($source.label, 'NSDecimalNumber')", .decimal),
        .init("CAST($source.w, 'NSString')", .string),
        .init("CAST($source.u, 'NSString')", .string), .init("CAST($source.t, 'NSNumber')", .double),
        .init("CAST($source.w, 'NSDate')", .date), .init("TERNARY($source.w > 0, $source.w, -1)", .integer64),
        .init("TERNARY($source.boxes.@count > 0, 'full', 'empty')", .string),
        .init("TERNARY($source.b == TRUE, $source.d, 0.5)", .double),
        .init("TERNARY(ANY $source.boxes.w > 0, 1, 0)", .boolean),
        .init("TERNARY(ALL $source.boxes.w > 0, 1, 0)", .boolean), .init("42", .integer16),
        .init("'text'", .string), .init("nil", .string), .init("nil", .integer64), .init("nil", .date),
        .init("FUNCTION($source, 'valueForKey:', 'w')", .integer64),
        .init("FUNCTION($source, 'valueForKeyPath:', 'boxes.@count')", .integer64),
        .init("FUNCTION($source, 'valueForKeyPath:', 'boxes.@max.w') + 1", .integer64),
        .init("uppercase(FUNCTION($source, 'valueForKey:', 'label'))", .string),
    ]

    /// What valueForKey: gives is what the key path gives, in both ways.
    @Test(arguments: ShelfStore.Way.allCases)
    func valueForKeyGivesWhatTheKeyPathGives(_ way: ShelfStore.Way) async throws {
        let names = ["label", "w", "s", "d", "f", "m", "b", "t", "u"]
        let types: [AttributeType] = [
            .string, .integer64, .integer16, .double, .float, .decimal, .boolean, .date, .uuid,
        ]
        let plain = zip(names, types).map { ShelfStore.Computed("$source.\($0)", $1) }
        let keyed = zip(names, types).map {
            ShelfStore.Computed("FUNCTION($source, 'valueForKey:', '\($0)')", $1)
        }
        let more = [
            ShelfStore.Computed("FUNCTION($source, 'valueForKeyPath:', 'boxes.@sum.w')", .integer64),
            ShelfStore.Computed("$source.boxes.@sum.w", .integer64),
        ]
        let store = ShelfStore(computed: plain + keyed + more)
        if way == .statements {
            let plan = try store.stage(way).plan(from: ShelfStore.old, to: store.new)
            #expect(!plan.steps.contains { $0.reason.contains("one by one") })
        }
        let shelves = try await store.shelves(way, Self.fill)
        #expect(shelves.count == 24)
        for shelf in shelves {
            #expect(Array(shelf[1...9]) == Array(shelf[10...18]))
            #expect(shelf[19] == shelf[20])
        }
        #expect(Set(shelves.map { $0[2] }).count > 3)
    }

    @Test func idsStayWhereOthersAreAskedFor() async throws {
        let call =
            "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'BoxToBox', $source.boxes)"
        for isFirst in [true, false] {
            let store = ShelfStore(
                computed: [.init("\(call).@count", .integer64), .init("$source.label", .string)],
                makesBoxesFirst: isFirst)
            let shelves = try await store.shelves(.statements) { context in
                for number in 1...5 {
                    let shelf = context.insert("Shelf")
                    try context.obtainPermanentIDs(for: [shelf])
                    shelf["label"] = "\(shelf.objectID.key)"
                    for _ in 0..<number {
                        shelf.orderedMembers(forKey: "boxes").append(context.insert("Box"))
                    }
                }
            }
            #expect(shelves.count == 5 && shelves.allSatisfy { $0[0] == $0[2] }, "\(shelves)")
            #expect(shelves.map { $0[1] } == (1...5).map { isFirst ? "\($0)" : "0" })
        }
    }

    /// What cannot be held is an error that names property and object, by both.
    @Test(arguments: ShelfStore.Way.allCases) func whatDoesNotFitIsNamed(_ way: ShelfStore.Way) async throws {
        let cases: [(ShelfStore.Computed, String)] = [
            (.init("$source.w * 2", .integer64), "too large to compute"),
            (.init("$source.d * 1e300", .double), "too large to compute"),
            (.init("$source.d / 2", .integer64), "Round the number with trunc:"),
            (.init("$source.w", .integer16), "outside the range of"),
            (.init("$source.d", .float), "outside the range of"),
            (.init("1e300", .float), "outside the range of"),
        ]
        for (computed, words) in cases {
            let error = await #expect(throws: StoreError.self, "\(computed.format)") {
                try await ShelfStore(computed: [computed]).shelves(way) { context in
                    let shelf = context.insert("Shelf")
                    shelf["w"] = Int64.max
                    shelf["d"] = computed.type == .integer64 ? 3.0 : 1e200
                }
            }
            let message = error?.message ?? ""
            #expect(
                message.contains("ShelfToShelf.v0") && message.contains(words)
                    && message.contains("Shelf 1"), "\(computed.format): \(message)")
        }
        let whole = try await ShelfStore(computed: [.init("$source.d", .integer16)]).shelves(way) { context in
            context.insert("Shelf")["d"] = 3.0
        }
        #expect(whole.map { $0[1] } == ["3"])
    }

    @Test func whatCannotBeComputedIsRefusedBefore() throws {
        for format in [
            "CAST($source.d, 'NSString')", "$entityMapping.name", "$manager", "uppercase($source.w)",
        ] {
            let store = ShelfStore(computed: [.init(format, .string)])
            let error = #expect(throws: MigrationError.self, "\(format)") {
                try store.stage(.statements).plan(from: ShelfStore.old, to: store.new)
            }
            #expect(error?.code == .invalidMapping && error?.message.contains("v0") == true)
        }
    }

    @Test func bothWaysGiveTheSame() async throws {
        let computed = try Self.computed.filter { computed in
            let plan = try ShelfStore(computed: [computed]).stage(.statements).plan(
                from: ShelfStore.old, to: ShelfStore(computed: [computed]).new)
            return !plan.steps.contains { $0.reason.contains("one by one") }
        }
        // Most of them are for both, so that there is something to compare.
        #expect(computed.count * 4 > Self.computed.count * 3)
        let store = ShelfStore(computed: computed)
        let byStatements = try await store.shelves(.statements, Self.fill)
        let oneByOne = try await store.shelves(.oneByOne, Self.fill)
        for (place, computed) in computed.enumerated() {
            let (one, other) = (byStatements.map { $0[place + 1] }, oneByOne.map { $0[place + 1] })
            #expect(one == other, "\(computed.format)")
        }
        #expect(byStatements.map { $0[0] } == oneByOne.map { $0[0] })
    }
}
