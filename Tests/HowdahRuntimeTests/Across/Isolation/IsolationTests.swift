import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import Synchronization
import TestSupport
import Testing

/// Which anomalies can happen at which isolation; `docs/isolation.md` has the table that this makes.
@Suite(.timeLimit(.minutes(60))) struct IsolationTests {
    private static let modes: [(name: String, isolation: Isolation?)] = [
        ("none", nil), ("readCommitted", .readCommitted), ("repeatableRead", .repeatableRead),
        ("serializable", .serializable),
    ]

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Item", properties: [.attribute("name", .string), .attribute("value", .integer64)])
        ])
    }

    /// Each anomaly by each isolation: whether it happened, and the errors that prevented it.
    @Test func theTableIsWhatHappens() async throws {
        var lines = ["| | anomaly | " + Self.modes.map { "`\($0.name)`" }.joined(separator: " | ") + " |"]
        lines.append("|---|---|" + Self.modes.map { _ in "---|" }.joined())
        try await withStore(Self.model()) { container, sql in
            for anomaly in Anomaly.all {
                var cells: [String] = []
                for mode in Self.modes {
                    try sql.rows("DELETE FROM item")
                    try sql.rows("INSERT INTO item (name, value) VALUES ('x', 10), ('y', 20)")
                    let stage = Anomaly.Stage(container, mode.isolation, sql)
                    let happens = try await anomaly.run(stage)
                    for unit in 0..<3 { _ = await stage.commit(unit) }
                    let codes = stage.units.compactMap { unit in
                        if case .failed(let code) = unit.ending, code != "abandoned" { code } else { nil }
                    }
                    cells.append(
                        happens
                            ? "**yes**" : codes.isEmpty ? "no" : "no: `\(codes.joined(separator: "`, `"))`")
                }
                lines.append("| \(anomaly.name) | \(anomaly.title) | \(cells.joined(separator: " | ")) |")
            }
        }
        let table = lines.joined(separator: "\n")
        let file = Repository.root.appending(path: "docs/isolation.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let parts = text.components(separatedBy: "<!-- table -->")
        try #require(parts.count == 3, "docs/isolation.md has no table between two marks")
        if ProcessInfo.processInfo.environment["HOWDAH_WRITE_DOCS"] == "1" {
            try "\(parts[0])<!-- table -->\n\(table)\n<!-- table -->\(parts[2])".write(
                to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(parts[1].trimmingCharacters(in: .newlines) == table)
        }
    }

    /// A unit that reads for its decision what it does not change names it, and the other one's change is a conflict.
    @Test(arguments: [nil, .readCommitted, .repeatableRead] as [Isolation?])
    func guardedObjectsPreventWriteSkew(isolation: Isolation?) async throws {
        try await withStore(Self.model()) { container, sql in
            try sql.rows("INSERT INTO item (name, value) VALUES ('x', 10), ('y', 20)")
            let stage = Anomaly.Stage(container, isolation, sql)
            for unit in stage.units.prefix(2) {
                await unit.run { context in
                    for item in try context.fetch("Item") { context.detectConflicts(for: item) }
                }
            }
            await stage.write(0, "x", 11)
            await stage.write(1, "y", 21)
            let isFirst = await stage.commit(0)
            let isSecond = await stage.commit(1)
            #expect(!(isFirst && isSecond))
            _ = await stage.commit(2)
        }
    }

    /// With a retry, each unit that an anomaly ended takes effect, one after the other.
    @Test(arguments: [nil, .readCommitted, .repeatableRead, .serializable] as [Isolation?])
    func retriesTakeEffectOneAfterTheOther(isolation: Isolation?) async throws {
        try await withStore(Self.model()) { container, sql in
            try sql.rows("INSERT INTO item (name, value) VALUES ('x', 0)")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<10 {
                            try await container.perform(isolation: isolation, retrying: .conflicts(upTo: 100))
                            { context in
                                let item = try #require(try context.fetch("Item").first)
                                item["value"] = (item["value"] as? Int64 ?? 0) + 1
                                try context.save()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try sql.value("SELECT value::text FROM item") == "80")
        }
    }

    private final class Attempts: Sendable {
        private let count = Mutex(0)

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    /// Two units that decide by the same two rows, and each change one of them, both take effect unless they are serializable.
    @Test(arguments: [nil, .readCommitted, .repeatableRead, .serializable] as [Isolation?])
    func retriesDoNotPreventWriteSkew(isolation: Isolation?) async throws {
        try await withStore(Self.model()) { container, sql in
            try sql.rows("INSERT INTO item (name, value) VALUES ('x', 1), ('y', 1)")
            let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (name, mine, other) in [("x", first, second), ("y", second, first)] {
                    group.addTask {
                        let attempts = Attempts()
                        try await container.perform(isolation: isolation, retrying: .conflicts(upTo: 5)) {
                            context in
                            let items = try context.fetch("Item")
                            if attempts.next() == 1 {
                                mine.signal()
                                other.wait()
                            }
                            guard items.allSatisfy({ $0["value"] as? Int64 == 1 }) else { return }
                            try #require(items.first { $0["name"] as? String == name })["value"] = 0
                            try context.save()
                        }
                    }
                }
                try await group.waitForAll()
            }
            let sum = try sql.value("SELECT sum(value)::text FROM item")
            #expect(sum == (isolation == .serializable ? "1" : "0"))
        }
    }

    /// What a background context keeps from an earlier unit is no part of the snapshot of the next one.
    @Test(arguments: [false, true]) func keptObjectsAreAsOldAsTheyAre(refreshes: Bool) async throws {
        try await withStore(Self.model()) { container, sql in
            try sql.rows("INSERT INTO item (name, value) VALUES ('x', 1), ('y', 1)")
            let contexts = [container.newBackgroundContext(), container.newBackgroundContext()]
            for context in contexts {
                try await context.perform { context in
                    context.retainsRegisteredObjects = true
                    let items = try context.fetch("Item")
                    #expect(items.allSatisfy { $0["value"] as? Int64 == 1 })
                }
            }
            for (context, name) in zip(contexts, ["x", "y"]) {
                try await context.perform(isolation: .serializable) { context in
                    if refreshes { try context.refreshAllObjects() }
                    let items = try context.fetch("Item")
                    guard items.allSatisfy({ $0["value"] as? Int64 == 1 }) else { return }
                    try #require(items.first { $0["name"] as? String == name })["value"] = 0
                    try context.save()
                }
            }
            #expect(try sql.value("SELECT sum(value)::text FROM item") == (refreshes ? "1" : "0"))
        }
    }

    /// A plain unit with two saves is two transactions.
    @Test func betweenTwoSavesAnotherUnitReadsTheFirst() async throws {
        try await withStore(Self.model()) { container, sql in
            try sql.rows("INSERT INTO item (name, value) VALUES ('x', 1)")
            try await container.perform { context in
                let item = try #require(try context.fetch("Item").first)
                item["value"] = 101
                try context.save()
                #expect(try sql.value("SELECT value::text FROM item") == "101")
                item["value"] = 11
                try context.save()
            }
        }
    }
}
