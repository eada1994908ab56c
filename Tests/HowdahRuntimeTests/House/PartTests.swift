import Foundation
import TestSupport
import Testing

/// A context has few fields and three parts that nothing else writes, and nothing asks for the type of its
/// backing.
@Suite struct PartTests {
    @Test func sourcesFollowRules() throws {
        let folder = Repository.root.appending(path: "Sources/HowdahRuntime")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path(percentEncoded: false))
            .filter { $0.hasSuffix(".swift") }
        #expect(paths.count > 200, "the sources were not found")
        #expect(
            Set(paths).isSuperset(of: PartRules.parts.map { "Context/\($0).swift" } + [PartRules.context]))
        for path in paths {
            let source = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            #expect(PartRules.findings(path, source) == [], "\(path)")
        }
    }

    private static let contextSample = """
        public final class ManagedObjectContext {
            package let store: Store
            let backing: any Backing
            private(set) var failure: (any Error)? = nil
            package private(set) var unit: UnitOfWork? {
                didSet { tell() }
            }
            static var count = 0
            var root: ManagedObjectContext { parent?.root ?? self }
            var hasChanges: Bool {
                var count = 0
                return count > 0
            }
        }

        struct ChildReference {
            weak var context: ManagedObjectContext?
        }
        """

    private static let partSample = """
        package final class Changes {
            final class Index {
                private(set) var map = Map()
            }

            private(set) var inserted: [ManagedObject] = []
            private var links = Links()
            let limit = 1
            var isEmpty: Bool { inserted.isEmpty }

            func insert() {
                var former = inserted
            }
        }
        """

    @Test func fieldsAreRead() {
        let fields = StoredProperty.all(in: Self.contextSample)
        #expect(fields.map(\.name) == ["store", "backing", "failure", "unit", "context"])
        #expect(fields.filter(\.isSettable).map(\.name) == ["context"])
        #expect(StoredProperty.all(in: Self.partSample).map(\.name) == ["map", "inserted", "links", "limit"])
        #expect(PartRules.findings(PartRules.context, Self.contextSample) == [])
        #expect(PartRules.findings("Context/Changes.swift", Self.partSample) == [])
    }

    /// The control: each of these parts breaks one rule.
    @Test(arguments: [
        ("package final class", "package class"), ("package final class", "package struct"),
        ("private(set) var inserted", "var inserted"), ("private(set) var inserted", "package var inserted"),
        ("private var links", "@Locked weak var links"), ("    private(set) var map", "    var map"),
        ("let limit = 1", "var limit = 1 {\n        didSet { tell() }\n    }"),
        ("let limit = 1", "var limit: Int {\n        didSet { tell() }\n    }"),
        ("let limit = 1", "public internal(set) var limit: Int"),
    ]) func aRuleOfPartsCanBreak(_ text: String, _ replacement: String) {
        let altered = Self.partSample.replacing(text, with: replacement)
        #expect(altered != Self.partSample)
        #expect(PartRules.findings("Context/Changes.swift", altered).count == 1)
    }

    @Test func anEleventhFieldIsFound() {
        for (count, isRight) in [(6, true), (7, false)] {
            let fields = (0..<count).map { "    let field\($0): Int\n" }.joined()
            let altered = Self.contextSample.replacing(
                "    package let store", with: fields + "    package let store")
            #expect(PartRules.findings(PartRules.context, altered).isEmpty == isRight)
        }
        let settable = Self.contextSample.replacing("private(set) var failure", with: "var failure")
        #expect(PartRules.findings(PartRules.context, settable).count == 1)
    }

    /// The control: lines that ask for the parent, or for the type of a backing.
    @Test(arguments: [
        "if parent != nil { save() }", "return context.parent == nil", "guard nil != self.parent else {",
        "if let parent { save() }", "guard let above = context.parent else { return }",
        "if context.backing is DatabaseBacking {", "let child = backing as? ParentBacking",
        "case is ParentBacking: save()", "case let above as ParentBacking: save()",
        "let store = backing as! (any StoreBacking)",
        "if type(of: context.backing) == ParentBacking.self {",
    ]) func aQuestionIsFound(_ line: String) {
        #expect(!PartRules.findings("Save/SavePipeline.swift", "    \(line)\n").isEmpty)
    }

    @Test(arguments: [
        "// if parent != nil", "let text = \"parent == nil\"", "parent?.mergeBelow()", "try parent?.save()",
        "let backing: any Backing", "init(_ store: Store) { backing = DatabaseBacking(store) }",
        "final class DatabaseBacking: Backing {", "let apparent = nil == transparent",
    ]) func otherLinesAreRight(_ line: String) {
        #expect(PartRules.findings("Save/SavePipeline.swift", "    \(line)\n") == [])
    }
}
