import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// Every delete rule with every shape of relationship, deleted in every way: all must end in the rows that `RuleGraph`
/// says, and a fresh context must show them.
@Suite struct DeleteRuleMatrixTests {
    @Test(arguments: [false, true]) func everyWayEndsInTheSameRows(triggers: Bool) async throws {
        let model = try RuleShape.model(triggers: triggers)
        let schema = try StoreSchema(model)
        try await withStore(model) { container, plain in
            let sql = try RuleSession(plain.url)
            var number = 0
            for shape in Self.shapes(triggers) {
                for rule in RuleShape.rules {
                    for victim in shape.victims {
                        for way in Self.ways(number) {
                            number += 1
                            let store = RuleStore(
                                shape: shape, rule: rule, container: container, sql: sql, url: plain.url,
                                schema: schema,
                                tag: "\(number)/")
                            try await check(store, victim, way, triggers: triggers)
                        }
                    }
                }
            }
            #expect(
                number == Self.shapes(triggers).reduce(0) { $0 + $1.victims.count } * 4 * Self.ways(0).count)
        }
    }

    /// All five; in a quick run each in its turn.
    private static func ways(_ number: Int) -> [RuleStore.Way] {
        let all = RuleStore.Way.allCases
        return TestTier.current > .quick ? all : [all[number % all.count]]
    }

    /// Where the item has the column, a foreign key keeps every rule, and there is no trigger.
    private static func shapes(_ triggers: Bool) -> [RuleShape] {
        RuleShape.allCases.filter { !triggers || $0.place != .item }
    }

    nonisolated(nonsending)
        private func check(_ store: RuleStore, _ victim: String, _ way: RuleStore.Way, triggers: Bool)
        async throws
    {
        let comment = Comment(
            rawValue:
                "\(store.shape) \(store.rule.rawValue) \(victim) \(way)\(triggers ? " with triggers" : "")")
        let ids = try await store.fill()
        let start = try store.stored(ids)
        #expect(start == RuleGraph(store.shape), comment)
        let versions = try store.versions(ids)
        let isServer = way == .batch || way == .sql
        let outcome = RuleGraph.outcome(
            of: victim, store.shape, store.rule, keptBy: isServer && !triggers ? .foreignKeys : .all)
        let refusal = try await store.delete(victim, ids, way)
        #expect(refusal == store.refusal(outcome, way), comment)
        let end = try store.stored(ids)
        if case .graph(let graph) = outcome {
            #expect(end == graph, comment)
        } else {
            #expect(end == start, comment)
        }
        let shown = try await store.container.perform { context in try store.seen(ids, by: context) }
        #expect(shown.objects == end.objects, comment)
        #expect(shown.links == end.links.filter { store.isShown($0, in: end) }, comment)
        if isServer { return }
        // Who lost a column's value moved on by one version, and nobody else moved. A reference without an inverse moves none.
        var moved = store.shape.hasInverse ? store.rowsThatLose(start, end) : []
        if way == .propagated, store.shape == .manyToManyOrdered {
            // In memory a member leaves the list before it goes, which is a change of the owner's row.
            moved.formUnion(Set(start.links.subtracting(end.links).map(\.owner)).intersection(end.objects))
        }
        for (name, version) in try store.versions(ids) {
            #expect(version == (versions[name] ?? 0) + (moved.contains(name) ? 1 : 0), "\(comment) \(name)")
        }
    }

    @Test func theDocumentationHasTheMatrix() throws {
        let file = Repository.root.appending(path: "docs/delete-rules.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.range(of: RuleTable.begin + "\n"))
        let end = try #require(text.range(of: "\n" + RuleTable.end))
        if ProcessInfo.processInfo.environment["HOWDAH_RECORD"] == "1" {
            let recorded = text[..<start.upperBound] + RuleTable.text + text[end.lowerBound...]
            try String(recorded).write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(text[start.upperBound..<end.lowerBound] == RuleTable.text)
        }
    }
}

extension RuleStore {
    /// Whether a context can show the link: links in a table of their own do not show without both ends.
    fileprivate func isShown(_ link: RuleGraph.Link, in graph: RuleGraph) -> Bool {
        shape.place != .table || graph.objects.contains(link.owner) && graph.objects.contains(link.item)
    }

    /// The rows whose own foreign key changed. A member that leaves an ordered list is a change of the owner's row too,
    /// but here the owner is what goes.
    fileprivate func rowsThatLose(_ start: RuleGraph, _ end: RuleGraph) -> Set<String> {
        let lost = start.links.subtracting(end.links)
        let holders: [String] =
            switch shape.place {
            case .item: lost.map(\.item)
            case .owner: lost.map(\.owner)
            case .table: []
            }
        return Set(holders).intersection(end.objects)
    }
}
