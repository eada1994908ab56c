import Foundation
import Howdah
import HowdahTesting
import Hummingbird
import HummingbirdTesting
import Testing

@testable import Tracker

extension TrackerTests {
    /// These requests send a fixed number of statements.
    @Suite struct StatementTests {
        @Test("Statements of requests, which are as many with ten times the rows", arguments: [1, 10])
        func counts(factor: Int) async throws {
            try await withRouter { send, container in
                try await container.perform { try Self.grow(by: factor, in: $0) }
                let issue = try await container.perform { context -> String in
                    let issues = try context.fetch(
                        Tracker.Issue.self, where: #Predicate { $0.number == 1 && $0.project?.key == "CORE" })
                    return issues[0].objectID.pathComponent
                }
                let requests: [(Int, HTTPRequest.Method, String, String?)] = [
                    (1, .get, "/projects", nil),
                    (1, .get, "/projects/CORE", nil),
                    (3, .get, "/projects/CORE/issues", nil),
                    (3, .get, "/projects/CORE/issues?where=priority%20%3C%203&sort=-priority", nil),
                    (3, .get, "/projects/CORE/issues?fields=title,labels.name", nil),
                    (1, .get, "/issues/\(issue)", nil),
                    (3, .get, "/issues/\(issue)/comments", nil),
                    (2, .get, "/issues/\(issue)/labels", nil),
                    (2, .get, "/issues/\(issue)/attachments", nil),
                    (4, .get, "/board/CORE", nil),
                    (2, .get, "/search?q=crash", nil),
                    (12, .post, "/projects/CORE/issues", #"{"title":"One more"}"#),
                    (6, .post, "/issues/\(issue)/comments", #"{"text":"Seen"}"#),
                    (5, .put, "/issues/\(issue)/labels/ui", nil),
                    (3, .put, "/issues/\(issue)/watchers/me", nil),
                ]
                for (count, method, path, body) in requests {
                    // The first request reads what the store knows of itself.
                    if method == .get { #expect(try await send(method, path, body) < 300) }
                    do {
                        let status = try await expectStatements(count, on: container) {
                            try await send(method, path, body)
                        }
                        #expect(status < 300, "\(method) \(path)")
                    } catch {
                        Testing.Issue.record(error, "\(method) \(path)")
                    }
                }
            }
        }

        /// Adds a user, a label, six issues, and parts of the first issue, for each time.
        private static func grow(by factor: Int, in context: ManagedObjectContext) throws {
            let project = try context.fetch(Project.self, where: #Predicate { $0.key == "CORE" })[0]
            let first = try context.fetch(
                Tracker.Issue.self, where: #Predicate { $0.number == 1 && $0.project?.key == "CORE" })[0]
            for round in 1...factor {
                let user = User(context: context)
                (user.login, user.team, user.password) = ("user\(round)", project.team, Data())
                let label = Label(context: context)
                (label.name, label.project) = ("label\(round)", project)
                for number in 1...6 {
                    let issue = try project.addIssue(title: "A crash, number \(number)", author: user)
                    (issue.assignee, issue.priority) = (user, 1)
                    issue.labels.insert(label)
                    issue.watchers.insert(user)
                }
                first.labels.insert(label)
                first.watchers.insert(user)
                let comment = Comment(context: context)
                (comment.issue, comment.text, comment.author, comment.createdAt) = (
                    first, "Me too", user, .now
                )
                let file = Attachment(context: context)
                (file.issue, file.name) = (first, "file\(round)")
                _ = Project(
                    key: "P" + "ABCDEFGHIJ".prefix(round).suffix(1), title: "Project \(round)",
                    team: project.team ?? Team(context: context), context: context)
            }
            try context.save()
        }

        @Test("openapi.json has each address of the router, without the pages for administrators")
        func document() async throws {
            try await withSeed { _, container in
                let router = try await routerUnderTest(of: container)
                let all = Set(
                    router.routes.map { route in
                        let path = route.path.description.replacing(/:(\w+)/) { "{\($0.output.1)}" }
                        return "\(route.method.rawValue.lowercased()) \(path)"
                    })
                let routes = all.filter { !$0.contains(" /admin") }
                let file = URL(filePath: #filePath).deletingLastPathComponent()
                    .appending(path: "../../openapi.json")
                let document = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
                let paths = try #require((document as? [String: Any])?["paths"] as? [String: [String: Any]])
                let described = paths.flatMap { path, methods in
                    methods.keys.filter { $0 != "parameters" }.map { "\($0) \(path)" }
                }
                #expect(Set(described).symmetricDifference(routes).sorted() == [])
            }
        }
    }
}
