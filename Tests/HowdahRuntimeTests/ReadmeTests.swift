import Foundation
import Howdah
import HowdahTesting
import Testing

@Suite struct ReadmeTests {
    @Test func theSnippetRuns() async throws {
        let url = try EphemeralPostgres.shared().createDatabase().url
        // snippet
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Department",
                properties: [
                    .attribute("name", .string, optional: false),
                    .relationship("employees", to: "Employee", inverse: "department", toMany: true),
                ], uniquenessConstraints: [["name"]]),
            EntityDescription(
                "Employee",
                properties: [
                    .attribute("name", .string, optional: false),
                    .attribute("salary", .decimal, optional: false, default: 0),
                    .relationship("department", to: "Department", inverse: "employees"),
                ]),
        ])
        let container = try await PersistentContainer.open(url, model: model)  // makes the tables, once

        let ada = try await container.perform { context in
            let research = context.insert("Department")
            research["name"] = "Research"
            let ada = context.insert("Employee")
            ada["name"] = "Ada"
            ada["department"] = research  // research's employees have her already
            try context.save()  // one transaction, or nothing
            return ada.objectID  // returning `ada` does not compile
        }

        let names = try await container.perform { context in
            let people = try context.fetch(
                "Employee", matching: .format("department.name == %@ AND salary >= %d", "Research", 0),
                sortedBy: .ascending("name"))
            return people.compactMap { $0["name"] as? String }
        }

        try await container.perform(retrying: .conflicts(upTo: 5)) { context in
            let ada = try context.existingObject(with: ada)
            ada["salary"] = 5_000  // if somebody else changed her meanwhile, the body runs again
            try context.save()
        }
        // end
        #expect(names == ["Ada"])
        let salary = try await container.perform { try $0.existingObject(with: ada)["salary"] as? Decimal }
        #expect(salary == 5_000)
        await container.close()
    }

    @Test func theReadmeShowsThisCode() throws {
        let here = URL(fileURLWithPath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let source = try String(contentsOf: here, encoding: .utf8)
        let shown =
            try #require(readme.components(separatedBy: "```swift\n").dropFirst().first)
            .components(separatedBy: "```").first ?? ""
        let run =
            try #require(source.components(separatedBy: "// snippet\n").dropFirst().first)
            .components(separatedBy: "        // end").first ?? ""
        let plain = run.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("        ") ? String($0.dropFirst(8)) : String($0) }.joined(separator: "\n")
        #expect(plain == shown)
    }
}
