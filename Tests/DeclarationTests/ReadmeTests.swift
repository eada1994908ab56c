import Foundation
import Howdah
import HowdahTesting
import Testing

// snippet
@Entity final class Department: ManagedObject {
    @Attribute(.unique) var name: String
    @Relationship(inverse: "department") var employees: ToMany<Employee>
}

@Entity final class Employee: ManagedObject {
    var name: String
    var salary: Decimal = 0
    @Relationship(inverse: "employees") var department: Department?
}
// end

@Suite struct ReadmeTests {
    @Test func theSnippetRuns() async throws {
        let url = try EphemeralPostgres.shared().createDatabase().url
        // snippet
        let container = try await PersistentContainer.open(
            url, model: .init(Department.self, Employee.self))  // makes the tables, once

        let ada = try await container.perform { context in
            let research = Department(context: context)
            research.name = "Research"
            let ada = Employee(context: context)
            ada.name = "Ada"
            ada.department = research  // research.employees has her already
            try context.save()  // one transaction, or nothing
            return ada.objectID  // returning `ada` does not compile
        }

        let names = try await container.perform { context in
            try context.fetch(
                Employee.self, where: #Predicate { $0.department?.name == "Research" && $0.salary >= 0 },
                sortedBy: .ascending(\.name)
            ).map(\.name)
        }

        try await container.perform(retrying: .conflicts(upTo: 5)) { context in
            try context.existingObject(with: ada).salary += 10
            try context.save()  // if somebody else changed her meanwhile, the body runs again
        }
        // end
        #expect(names == ["Ada"])
        let salary = try await container.perform { try $0.existingObject(with: ada).salary }
        #expect(salary == 10)
        await container.close()
    }

    @Test(arguments: ["README.md", "Sources/Howdah/Howdah.docc/GettingStarted.md"])
    func pagesShowThisCode(page: String) throws { try Self.expect(page, toShow: #filePath) }

    /// Checks that the first code of a page is the snippet of a test.
    static func expect(_ page: String, toShow file: String) throws {
        let here = URL(fileURLWithPath: file)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: page), encoding: .utf8)
        let source = try String(contentsOf: here, encoding: .utf8)
        let shown =
            try #require(text.components(separatedBy: "```swift\n").dropFirst().first)
            .components(separatedBy: "```").first ?? ""
        #expect(snippets(of: source).joined(separator: "\n") == shown)
    }

    /// The code between the marks, without the indentation that a test's body has.
    private static func snippets(of source: String) -> [String] {
        var snippets: [String] = []
        var isInside = false
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            switch line.drop(while: { $0 == " " }) {
            case "// snippet":
                isInside = true
                snippets.append("")
            case "// end": isInside = false
            case _ where isInside:
                let indentation = snippets.count > 1 ? 8 : 0
                snippets[snippets.count - 1] += line.dropFirst(line.isEmpty ? 0 : indentation) + "\n"
            default: break
            }
        }
        return snippets
    }
}
