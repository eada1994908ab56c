import Howdah
import HowdahModel
import TestSupport
import Testing

@testable import HowdahRuntime

/// Patterns that backtrack exponentially neither hang a predicate nor a save.
@Suite struct PatternTimeTests {
    private static let hostile = String(repeating: "x", count: 10_000)

    private static func model(_ regex: String? = nil) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Thing",
                properties: [.attribute("text", .string, regex: regex), .attribute("note", .string)])
        ])
    }

    @Test("A predicate with MATCHES filters objects in memory at once")
    func predicates() async throws {
        try await withStore(Self.model()) { container, _ in
            try await container.perform { context in
                let things = (0..<5).map { _ in context.insert("Thing") }
                for thing in things { thing["text"] = Self.hostile }
                things[3]["text"] = Self.hostile + "y"
                let predicate = PredicateTree.format("text MATCHES %@", "(x+x+)+y")
                let time = try ThreadClock.measure { () throws in
                    #expect(try things.filter { try predicate.evaluate(with: $0) } == [things[3]])
                }
                #expect(time < .seconds(1))
            }
        }
    }

    @Test("A save validates a pattern of the subset at once")
    func subset() async throws {
        try await withStore(Self.model("(x+x+)+y")) { container, _ in
            try await container.perform { context in
                let thing = context.insert("Thing")
                thing["text"] = Self.hostile
                let time = ThreadClock.measure {
                    let error = saveError { try context.save() }
                    #expect(error?.issues.map(\.code) == [1680])
                    #expect(error?.issues.first?.message.contains("does not match") == true)
                }
                #expect(time < .seconds(1))
                thing["text"] = Self.hostile + "y"
                try context.save()
            }
        }
    }

    @Test("A save whose pattern takes too long fails with a validation error")
    func exceededBudget() async throws {
        try await withStore(Self.model("(x+x+)+\\1y")) { container, sql in
            try await container.perform { context in
                let things = (0..<50).map { _ in context.insert("Thing") }
                for thing in things { thing["text"] = Self.hostile }
                let time = ThreadClock.measure {
                    let error = saveError { try context.save() }
                    #expect(error?.code == .validation)
                    // The save fails with the first one; it does not try all.
                    #expect(error?.issues.map(\.code) == [1680, 1680, 1680, 1680])
                    #expect(
                        error?.issues.first?.message == "could not be checked, because the model's pattern "
                            + "(x+x+)+\\1y takes too long for this value. Simplify the regular expression."
                    )
                    #expect(!"\(String(describing: error))".contains("xxx"))
                }
                #expect(time < .seconds(10))
                #expect(throws: ValidationIssue.self) {
                    try things[0].validateValue(Self.hostile, forKey: "text")
                }
                for thing in things { thing["text"] = "xxxxy" }
                try context.save()
            }
            #expect(try sql.value("SELECT count(*)::text FROM thing") == "50")
        }
    }
}
