import Foundation
import TestSupport
import Testing

/// The pages on the life of a fetch, a save and a migration name the stages that the spines call, in the same order.
@Suite struct SpineTests {
    /// A source, its function that calls the stages, and the function's other calls.
    struct Place {
        var module = "HowdahRuntime"
        let path: String
        var function = "run"
        let others: Set<String>
    }

    private static let fetches = [
        Place(
            path: "Fetch/FetchPipeline",
            others: [
                "context.backing.fetch", "context.visible", "context.typed", "context.store.readError",
            ]),
        Place(path: "Fetch/StoreFetch", others: ["context.withConnection"]),
    ]
    private static let save = Place(
        path: "Save/SavePipeline",
        others: [
            "adoptNothing", "SoleUpdate", "sole.run", "context.carryingOut", "attempts.store", "orders",
            "SaveReceipt",
        ])
    private static let push = Place(
        path: "Child/PushPipeline", function: "attempt",
        others: [
            "adoptNothing", "context.carryingOut", "parent.changes.carryingOut", "parent.loading",
        ])

    private static let migration = Place(
        module: "HowdahMigration", path: "Run/MigrationPipeline",
        others: [
            "ContinuousClock.now.advanced", "ContinuousClock.now.duration", "end.release", "end.perform",
            "StagedMigrationPlan",
        ])

    @Test func pageFollowsFetch() throws {
        let spines = try Self.fetches.map(Self.spine)
        #expect(spines.flatMap(\.findings) == [])
        let rows = Self.rows(of: try Self.page("life-of-a-fetch"))
        #expect(rows.map(\.number) == Array(1...9))
        #expect(spines.flatMap(\.stages).sorted { $0.number < $1.number } == rows)
        #expect(spines[0].elsewhere == spines[1].stages)
    }

    @Test func pageFollowsSave() throws {
        let spine = try Self.spine(Self.save)
        #expect(spine.findings == [])
        let rows = Self.rows(of: try Self.page("life-of-a-save"))
        #expect(rows.map(\.number) == Array(1...8))
        #expect(spine.stages == rows && spine.elsewhere == [])
    }

    @Test func pageFollowsMigration() throws {
        let spine = try Self.spine(Self.migration)
        #expect(spine.findings == [])
        let rows = Self.rows(of: try Self.page("life-of-a-migration"))
        #expect(rows.map(\.number) == Array(1...11))
        #expect(spine.stages == rows && spine.elsewhere == [])
    }

    @Test func pageFollowsPushOfChild() throws {
        let spine = try Self.spine(Self.push)
        #expect(spine.findings == [])
        let page = try Self.page("life-of-a-save")
        let names = try #require(page.firstMatch(of: /`Child\/PushPipeline\.swift`: ([a-z`, ]+)\./)?.1)
        let stages = names.replacing("`", with: "").split(separator: ", ").enumerated().map {
            Spine.Stage("\($0 + 1)", $1)
        }
        #expect(stages.count == 7)
        #expect(spine.stages == stages && spine.elsewhere == [])
    }

    private static let sample = """
        struct Pipeline {
            func run(
                _ text: String
            ) throws {
                // 1 Freeze: all of it.
                let changes = try freeze(text)
                // 2 Plan: in order.
                let plan = plan(changes)
                // 3 Lock and 4 write.
                context.store(plan)
                // 5 Merge: both.
                return try merge(plan, Receipt(changes))
            }

            private func freeze() {}
        }

        """
    private static let others: Set<String> = ["context.store", "Receipt"]

    @Test func callsOfSpineAreRead() {
        let spine = Spine(Self.sample, others: Self.others)
        #expect(spine.findings == [])
        #expect(spine.stages.map(\.description) == ["1 Freeze", "2 Plan", "5 Merge"])
        #expect(spine.elsewhere.map(\.description) == ["3 Lock", "4 Write"])
    }

    /// The control: each of these spines differs from its comments.
    @Test(arguments: [
        ("        let plan = plan(changes)\n", ""),
        ("let plan = plan(changes)", "// let plan = plan(changes)"),
        ("let plan = plan(changes)", "let plan = unplan(changes)"),
        ("let plan = plan(changes)", "let plan = order(changes)  // plan(changes)"),
        ("let plan = plan(changes)", "let plan = \"plan(changes)\""),
        ("let plan = plan(changes)", "let plan = other.plan(changes)"),
        ("let plan = plan(changes)", "let plan = plan(plan(changes))"),
        ("try freeze(text)", "try plan(text)"),
        ("        context.store(plan)", "        context.store(plan)\n        lock(plan)"),
        ("        context.store(plan)", "        context.store(plan)\n        pool.lock { plan }"),
        ("context.store(plan)", "context.write(plan)"),
        ("Receipt(changes)", "changes"),
        ("// 5 Merge: both.", "// Merge: both."),
        ("// 5 Merge: both.", "// 5 Join: both."),
        ("// 5 Merge: both.", "// 2 Merge: both."),
        ("// 5 Merge: both.", "// 1 Merge: both."),
        ("// 1 Freeze: all of it.", "// 6 Freeze: all of it."),
        ("// 3 Lock and 4 write.", "// 6 Lock and 7 write."),
        ("func run(", "func runs("),
        ("struct Pipeline {", String(repeating: "\n", count: 110) + "struct Pipeline {"),
    ]) func aDifferenceIsFound(_ part: String, _ replacement: String) {
        let altered = Self.sample.replacing(
            part.replacing("            ", with: "        "), with: replacement)
        #expect(altered != Self.sample)
        #expect(Spine(altered, others: Self.others).findings != [])
    }

    private static func spine(_ place: Place) throws -> Spine {
        let file = Repository.root.appending(path: "Sources/\(place.module)/\(place.path).swift")
        return Spine(
            try String(contentsOf: file, encoding: .utf8), function: place.function, others: place.others)
    }

    private static func page(_ name: String) throws -> String {
        try String(contentsOf: Repository.root.appending(path: "docs/\(name).md"), encoding: .utf8)
    }

    /// The stages in the table of a page.
    private static func rows(of page: String) -> [Spine.Stage] {
        page.matches(of: /(?m)^\| (\d+) \| \*\*`?(\w+)`?\*\* \|/).map { Spine.Stage($0.1, $0.2) }
    }
}
