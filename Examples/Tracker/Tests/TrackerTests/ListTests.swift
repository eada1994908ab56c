import Foundation
import Howdah
import HowdahTesting
import Testing

@testable import Tracker

extension TrackerTests {
    @Suite struct ListTests {
        @Test("A walk over 10,000 issues has each once, while others insert")
        func walk() async throws {
            try await withTracker { tracker in
                try await insert(9_994, into: tracker.container)  // beside the 6 of the seed
                let inserting = Task { [client = tracker.client] in
                    var count = 0
                    while !Task.isCancelled {
                        let answer = try await client.post("/projects/CORE/issues", ["title": "Meanwhile"])
                        try #require(answer.status == 201)
                        count += 1
                    }
                    return count
                }
                var (numbers, next) = ([Int64](), "/projects/CORE/issues?limit=200&sort=-priority,createdAt")
                while !next.isEmpty {
                    let answer = try await tracker.client.get(next)
                    try #require(answer.status == 200)
                    numbers += try answer.decoded(Page<IssueDocument>.self).items.map(\.number)
                    next =
                        answer.headers["link"].flatMap { $0.split(separator: ">").first?.dropFirst() }
                        .map(String.init) ?? ""
                }
                inserting.cancel()
                let added = try await inserting.value
                #expect(added > 0)
                #expect(Set(numbers).count == numbers.count)
                #expect(Set(1...10_000).isSubset(of: numbers))
            }
        }

        private func insert(_ count: Int, into container: PersistentContainer) async throws {
            try await container.perform { context in
                guard
                    let project = try context.fetch(Project.self, where: #Predicate { $0.key == "CORE" })
                        .first,
                    let author = try context.fetch(User.self).first
                else { return }
                for number in 0..<count {
                    let issue = Tracker.Issue(context: context)
                    issue.number = project.nextNumber + Int64(number)
                    (issue.title, issue.project, issue.author) = ("Issue \(number)", project, author)
                    issue.priority = Int16(number % 5 + 1)
                    issue.createdAt = Date(timeIntervalSinceReferenceDate: Double(number / 7))
                }
                project.nextNumber += Int64(count)
                try context.save()
            }
        }

        @Test(
            "Conditions that clients may write",
            arguments: [
                ("priority <= 2 AND status == 'open'", 3), ("ANY labels.name == 'crash'", 1),
                ("title CONTAINS[cd] 'CRASH'", 1),
                ("estimate.value > 2", 2),
                ("assignee.login == NULL", 6), ("author.login == 'mallory'", 0),
            ])
        func conditions(_ text: String, _ count: Int) async throws {
            try await withTracker { tracker in
                let answer = try await tracker.client.get(address(text))
                #expect(answer.status == 200, "\(answer.text)")
                #expect(try answer.decoded(Page<IssueDocument>.self).items.count == count)
            }
        }

        static let hostile = [
            "project.team.name == 'Guests'", "TRUEPREDICATE OR project.key == 'OTHER'",
            "author.password != NULL", "ANY author.team.users.login == 'ada'",
            "column.project.key == 'OTHER'",
            "SUBQUERY(watchers, $w, $w.password != NULL).@count > 0", "watchers.login == 'grace'",
            "SUBQUERY(labels, $l, SUBQUERY(labels, $m, $m.name == $l.name).@count > 0).@count > 0",
            "SELF == 1", "idempotencyKey == '1'", "title == 'x' OR (", "%@ == 1", "title == %@", "$x == 1",
            "title MATCHES '((((((((((a{1,255}){1,255}){1,255}){1,255}){1,255}){1,255}){1,255}))))'",
            "CAST(title, 'NSDate') < now()", "labels.name == 'crash'",
            "title == \"';DROP TABLE issue;--", "\u{0} == 1",
            String(repeating: "(", count: 900) + "TRUEPREDICATE",
            String(repeating: "title == 'x' OR ", count: 7_000) + "title == 'y'",
        ]

        @Test("Hostile conditions are refused, and show no row of another team")
        func hostileConditions() async throws {
            try await withTracker { tracker in
                for text in Self.hostile {
                    let answer = try await tracker.client.get(address(text))
                    let body = answer.text
                    #expect(
                        [400, 413, 414, 431].contains(answer.status),
                        "\(text.prefix(80)): \(answer.status) \(body)")
                    #expect(!body.contains("secret"))
                }
                for text in ["TRUEPREDICATE", "NOT FALSEPREDICATE", "1 == 1 OR title == 'x'"] {
                    let answer = try await tracker.client.get(address(text))
                    try #require(answer.status == 200)
                    #expect(try answer.decoded(Page<IssueDocument>.self).items.count == 6)
                }
                // Forms and curl write a space as a plus.
                let form = try await tracker.client.get("/projects/CORE/issues?where=number+%3E+0")
                #expect(try form.decoded(Page<IssueDocument>.self).items.count == 6)
                #expect(try await tracker.client.get("/readyz").status == 200)
            }
        }

        @Test("A search finds words of titles and texts of the team")
        func search() async throws {
            try await withTracker { tracker in
                let found = try await tracker.client.get("/search?q=crashes")
                #expect(
                    try found.decoded(Page<IssueDocument>.self).items.map(\.title) == [
                        "Crash on an empty file"
                    ])
                let other = try await tracker.client.get("/search?q=secret")
                #expect(try other.decoded(Page<IssueDocument>.self).items.isEmpty)
                #expect(try await tracker.client.get("/search?q=").status == 400)
            }
        }

        private func address(_ condition: String) -> String {
            let text = condition.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            return "/projects/CORE/issues?where=\(text)"
        }
    }
}
