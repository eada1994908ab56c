import Foundation
import TestSupport
import Testing

/// `docs/core-data-api.md` says of each method of Core Data what takes its place, and is held against the symbols.
@Suite struct CoreDataPageTests {
    @Test(.enabled(if: SwiftToolchain.installed != nil, "There is no Swift compiler on the search path."))
    func pageAgreesWithPublicSymbols() async throws {
        let toolchain = try SwiftToolchain(#require(SwiftToolchain.installed))
        let symbols = try await withTemporaryFolder { folder in
            let outcomes = try await toolchain.writeSymbolGraphs(
                of: ["Howdah", "HowdahModelFile", "HowdahTesting"], to: folder)
            let failed = outcomes.filter { !$0.succeeded }.map(\.output)
            try #require(failed == [])
            return try PublicSymbols(symbolGraphs: folder)
        }
        try #require(symbols.count > 1_500, "The symbol graphs are nearly empty: \(symbols.count) symbols.")
        let findings = try Self.page().findings(symbols)
        #expect(findings.isEmpty, "docs/core-data-api.md:\n\(findings.joined(separator: "\n"))")
    }

    @Test func pageCoversCoreDataClasses() throws {
        let page = try Self.page()
        let titles = Set(page.sections.map(\.title))
        #expect(Self.classes.subtracting(titles) == [], "These classes have no table.")
        #expect(page.sections.allSatisfy { !$0.rows.isEmpty })
        let rows = page.sections.flatMap(\.rows)
        #expect(rows.flatMap(\.names).count > 500, "The tables were not read: \(rows.count) rows.")
        for answer in [CoreDataPage.Answer.same, .missing, .notNeeded] {
            #expect(rows.contains { $0.answer == answer })
        }
    }

    @Test(arguments: ["README.md", "docs/from-core-data.md"])
    func pageIsLinked(from file: String) throws {
        let text = try String(contentsOf: Repository.root.appending(path: file), encoding: .utf8)
        #expect(text.contains("core-data-api.md)"))
    }

    /// A row of a made-up page, and a part of the finding that it has to cause; nil if it is right.
    struct Control: CustomTestStringConvertible {
        let row: String
        let finding: String?
        var testDescription: String { row }
    }

    @Test(arguments: [
        Control(row: "| `save()` | same | |", finding: nil),
        Control(row: "| `static current` | same | |", finding: nil),
        Control(row: "| `save()`, `fetch(_:)` | same | |", finding: nil),
        Control(row: "| `parent` † | missing | |", finding: nil),
        Control(row: "| `lock()` | not needed | it is confined |", finding: nil),
        Control(row: "| `lock()` | `Context.fetch(_:)`, `Context` | |", finding: nil),
        Control(row: "| `fetch(_:)` | `Context.fetch(_:)` | takes a name |", finding: nil),
        Control(row: "| `undo()` | same | |", finding: "Context.undo() is not a public instance member"),
        Control(row: "| `save(_:)` | same | |", finding: "Write `Context.save()`."),
        Control(row: "| `current` | same | |", finding: "not a public instance member"),
        Control(row: "| `static save()` | same | |", finding: "not a public static member"),
        Control(row: "| `save()` | missing | |", finding: "Context.save() exists. Write 'same'."),
        Control(row: "| `lock()`, `save()` | missing | |", finding: "Context.save() exists."),
        Control(row: "| `save()` | not needed | it is confined |", finding: "Write 'same'."),
        Control(row: "| `save()` | `Context.fetch(_:)` | |", finding: "Context.save() exists."),
        Control(row: "| `fetch(_:)` | `Context.fetch(_:)` | |", finding: "Write 'same'."),
        Control(row: "| `lock()` | `Context.save(_:)` | |", finding: "Write `Context.save()`."),
        Control(row: "| `lock()` | `Context.hold()` | |", finding: "Context.hold() is not a public symbol"),
        Control(row: "| `lock()` | `Contxt` | |", finding: "Contxt is not a public symbol"),
        Control(row: "| `lock()` | not needed | |", finding: "why it is not needed"),
        Control(row: "| `lock()` | maybe | |", finding: "'maybe' is not an answer"),
        Control(row: "| `lock()` | same, `Context.save()` | |", finding: "is not an answer"),
        Control(row: "| `lock()`, `lock()` | missing | |", finding: "listed twice"),
        Control(row: "| `lock()` | missing |", finding: "nor a row of three cells"),
        Control(row: "| lock | missing | |", finding: "nor a row of three cells"),
    ])
    func wrongRowsAreFound(_ control: Control) {
        let findings = Self.findings(heading: "### NSContext → Context", row: control.row)
        if let finding = control.finding {
            #expect(findings.count == 1 && findings[0].contains(finding), "\(findings)")
            #expect(findings.allSatisfy { $0.hasPrefix("line 5: ") }, "\(findings)")
        } else {
            #expect(findings == [])
        }
    }

    @Test(arguments: [
        ("### NSContext → Contxt", "Contxt is not a public type"),
        ("### NSContext → none", "The type Context exists. Name it in the heading."),
        ("### NSContext", "neither a heading"),
    ])
    func wrongHeadingsAreFound(_ heading: String, _ finding: String) {
        let findings = Self.findings(heading: heading, row: "| `lock()` | missing | |")
        #expect(findings.contains { $0.hasPrefix("line 1: ") && $0.contains(finding) }, "\(findings)")
    }

    private static func findings(heading: String, row: String) -> [String] {
        let symbols = PublicSymbols(
            types: ["Context"],
            members: ["Context.save()", "Context.fetch(_:)", "static Context.current"])
        return CoreDataPage("\(heading)\n\n| Core Data | Howdah | note |\n|---|---|---|\n\(row)\n")
            .findings(symbols)
    }

    private static func page() throws -> CoreDataPage {
        CoreDataPage(
            try String(
                contentsOf: Repository.root.appending(path: "docs/core-data-api.md"), encoding: .utf8))
    }

    private static let classes: Set<String> = [
        "NSManagedObjectContext", "NSManagedObject", "NSManagedObjectID", "NSFetchRequest",
        "NSFetchRequestResultType", "NSAsynchronousFetchRequest", "NSPersistentStoreRequest",
        "NSSaveChangesRequest", "NSBatchInsertRequest", "NSBatchInsertResult", "NSBatchUpdateRequest",
        "NSBatchUpdateResult", "NSBatchDeleteRequest", "NSBatchDeleteResult", "NSPersistentContainer",
        "NSPersistentStoreCoordinator", "NSPersistentStoreDescription", "NSPersistentStore",
        "NSManagedObjectModel", "NSEntityDescription", "NSPropertyDescription", "NSAttributeDescription",
        "NSDerivedAttributeDescription", "NSCompositeAttributeDescription", "NSRelationshipDescription",
        "NSFetchedPropertyDescription", "NSExpressionDescription", "NSFetchIndexDescription",
        "NSFetchIndexElementDescription", "NSMergePolicy", "NSMergeConflict", "NSConstraintConflict",
        "NSFetchedResultsController", "NSPredicate", "NSComparisonPredicate", "NSCompoundPredicate",
        "NSExpression", "NSSortDescriptor", "NSMigrationManager", "NSMappingModel", "NSEntityMapping",
        "NSPropertyMapping", "NSEntityMigrationPolicy", "NSStagedMigrationManager", "NSMigrationStage",
        "NSLightweightMigrationStage", "NSCustomMigrationStage", "NSManagedObjectModelReference",
        "NSPersistentHistoryChangeRequest", "NSPersistentHistoryTransaction", "NSPersistentHistoryChange",
        "NSPersistentHistoryToken", "NSPersistentHistoryResult", "NSQueryGenerationToken",
    ]
}
