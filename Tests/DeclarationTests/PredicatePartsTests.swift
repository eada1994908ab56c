import Foundation
import Howdah
import TestSupport
import Testing

/// The example of `docs/predicates.md` about looking into predicates, which is what stands between the marks here.
@Suite struct PredicatePartsTests {
    @Test func theExampleRuns() throws {
        // snippet
        let predicate = try PredicateTree(
            format: "department.name BEGINSWITH[cd] %@ AND (salary > %d OR grade IN %@)", "rese", 100,
            ["A", "B"])

        // Log the key paths that a predicate reads.
        for case .keyPath(let path) in predicate.operands { print(path) }

        // Rewrite a key path: the attribute was renamed. Within SUBQUERY it is a member of the variable.
        let renamed = try predicate.mapOperands { operand in
            switch operand {
            case .keyPath("salary"): .keyPath("pay.amount")
            case .member(of: let base, keyPath: "salary"): .member(of: base, keyPath: "pay.amount")
            default: operand
            }
        }

        // Build a form: a row of fields for each comparison.
        struct Row {
            let property, relation, value: String
            let ignoresCase: Bool
        }
        func rows(of predicate: PredicateTree) throws -> [Row] {
            switch predicate.kind {
            case .comparison(let comparison):
                [
                    Row(
                        property: "\(comparison.left)", relation: comparison.operator.rawValue,
                        value: "\(comparison.right)",
                        ignoresCase: comparison.options.contains(.caseInsensitive))
                ]
            case .compound(_, let subpredicates): try subpredicates.flatMap(rows)
            case .constant: []
            case .invalid(let error): throw error
            @unknown default: []
            }
        }

        // Make a predicate of the form's fields.
        let atLeast = PredicateTree.Comparison(
            left: .keyPath("salary"), operator: .greaterThanOrEqual, right: .constant(.int(50)))
        let narrowed = PredicateTree.and([renamed, try PredicateTree(atLeast)])
        // end
        let form = try rows(of: predicate)
        #expect(form.map(\.property) == ["department.name", "salary", "grade"])
        #expect(form.map(\.relation) == ["BEGINSWITH", ">", "IN"])
        #expect(form.map(\.value) == ["'rese'", "100", "{'A', 'B'}"])
        #expect(form.map(\.ignoresCase) == [true, false, false])
        #expect(
            narrowed.description
                == "department.name BEGINSWITH[cd] 'rese' AND (pay.amount > 100 OR grade IN {'A', 'B'}) AND salary >= 50"
        )
    }

    @Test func theGuideHasThisExample() throws {
        let guide = try String(
            contentsOf: Repository.root.appending(path: "docs/predicates.md"), encoding: .utf8)
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let begin = try #require(lines.firstIndex { $0.hasSuffix(" // snippet") })
        let end = try #require(lines.firstIndex { $0.hasSuffix(" // end") })
        let example = lines[(begin + 1)..<end].map { $0.dropFirst(8) }.joined(separator: "\n")
        #expect(guide.contains("```swift\n" + example + "\n```"))
    }
}
