import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@Entity final class Visitor: ManagedObject {
    var firstName: String = ""
    var visits: Int = 0
}

/// The example of `docs/notifications.md`, which is what stands between the marks here.
@Suite(.timeLimit(.minutes(60))) struct NotificationGuideTests {
    @Test func theExampleRuns() async throws {
        try await withTemporaryStore(ManagedObjectModel(Visitor.self)) { container in
            let id = try await container.perform { context in
                let visitor = Visitor(context: context)
                try context.save()
                return visitor.objectID
            }
            // snippet
            let saves = container.saves
            let listener = Task {
                for await save in saves {
                    for id in save.deletedObjectIDs { print("gone:", id.uriRepresentation) }
                }
            }

            let editor = container.newBackgroundContext()
            try await editor.perform { context in
                context.automaticallyMergesChangesFromParent = true
                try context.existingObject(with: id).visits = 1
            }

            try await container.perform { context in
                try context.existingObject(with: id).firstName = "Ada"
                try context.save()
            }

            try await editor.perform { context in
                let employee = try context.existingObject(with: id)
                print(employee.firstName, employee.visits)  // Ada 1: merged, with the unsaved change on top
                try context.save()  // no conflict
            }
            listener.cancel()
            // end
            let stored = try await container.perform { context in
                let employee = try context.existingObject(with: id)
                return "\(employee.firstName) \(employee.visits)"
            }
            #expect(stored == "Ada 1")
            await listener.value
        }
    }

    @Test func theGuideHasThisExample() throws {
        let guide = try String(
            contentsOf: Repository.root.appending(path: "docs/notifications.md"), encoding: .utf8)
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let begin = try #require(lines.firstIndex { $0.hasSuffix(" // snippet") })
        let end = try #require(lines.firstIndex { $0.hasSuffix(" // end") })
        let example = lines[(begin + 1)..<end].map { $0.dropFirst(12) }.joined(separator: "\n")
        #expect(guide.contains("```swift\n" + example + "\n```"))
    }
}
