import Foundation
import Howdah
import HowdahTesting
import PQClient
import Testing

@testable import Tracker

extension TrackerTests {
    @Suite struct JobTests {
        @Test("4 workers do 5,000 jobs once each, though one is killed")
        func onceEach() async throws {
            try await withTracker(["TRACKER_WORKERS": "0"]) { tracker in
                let count = 5_000
                try await tracker.container.perform { context in
                    let issue = try #require(
                        try context.fetch(FetchRequest<Tracker.Issue>()).first { !$0.watchers.isEmpty })
                    for number in 0..<count {
                        JobKind.notifyWatchers.add(
                            JobPayload(issue: issue.objectID.pathComponent, subject: "\(number)"), to: context
                        )
                    }
                    try context.save()
                }
                let workers = try (0..<4).map { _ in try ServerProcess.work(tracker.url) }
                try await wait("The jobs do not begin.") { try await jobs(tracker.container) < count - 200 }
                workers[0].send(SIGKILL)
                try await wait("The jobs do not end.") { try await jobs(tracker.container) == 0 }
                for worker in workers.dropFirst() { try await worker.stop() }
                let subjects = try await tracker.container.perform { context in
                    try context.fetch(Mail.self).map(\.subject)
                }
                #expect(subjects.count == count)
                #expect(Set(subjects).count == count)
            }
        }

        @Test("A change and its job are stored together, and the mail is written")
        func change() async throws {
            try await withTracker { tracker in
                let issue = try await tracker.issue()
                #expect(try await tracker.client.post(issue + "/comments", ["text": "Seen"]).status == 201)
                #expect(try await tracker.client.post(issue + "/comments", ["text": ""]).status == 422)
                try await wait("There is no mail.") {
                    try await tracker.container.perform { try $0.count(for: FetchRequest<Mail>()) } > 0
                }
                try await wait("A job is left.") { try await jobs(tracker.container) == 0 }
                let mails = try await tracker.container.perform { context in
                    try context.fetch(Mail.self).map { "\($0.recipient?.login ?? ""): \($0.subject)" }
                }
                #expect(mails == ["grace: Issue 1 has a comment"])
            }
        }

        @Test("A job whose payload this version cannot read waits, and stops no other")
        func unreadableJob() async throws {
            try await withTracker { tracker in
                try await tracker.container.perform { context in
                    let job = Job(context: context)
                    (job.kind, job.payload, job.runAt) = ("notifyWatchers", JobPayload(), .distantPast)
                    try context.save()
                }
                let connection = try Connection(ConnectionConfiguration(tracker.url))
                defer { connection.close() }
                _ = try connection.query(#"UPDATE job SET payload = '{"issue": 7}'"#)
                let issue = try await tracker.issue()
                #expect(try await tracker.client.post(issue + "/comments", ["text": "Seen"]).status == 201)
                try await wait("There is no mail.") {
                    try await tracker.container.perform { try $0.count(for: FetchRequest<Mail>()) } > 0
                }
                let postponed = try connection.query(
                    "SELECT pg_catalog.count(*) FROM job WHERE attempts > 0"
                ).scalar(\.int64)
                #expect(postponed == 1)
            }
        }

        @Test("A job that this version does not know waits, and stops no other")
        func unknownJob() async throws {
            try await withTracker { tracker in
                try await tracker.container.perform { context in
                    let job = Job(context: context)
                    (job.kind, job.payload, job.runAt) = ("ofTomorrow", JobPayload(issue: "Issue-p1"), .now)
                    try context.save()
                }
                let issue = try await tracker.issue()
                #expect(try await tracker.client.post(issue + "/comments", ["text": "Seen"]).status == 201)
                try await wait("There is no mail.") {
                    try await tracker.container.perform { try $0.count(for: FetchRequest<Mail>()) } > 0
                }
                try await wait("The job was not postponed.") {
                    try await tracker.container.perform { try $0.fetch(Job.self).map(\.attempts) } != [0]
                }
                #expect(try await jobs(tracker.container) == 1)
            }
        }

        private func jobs(_ container: PersistentContainer) async throws -> Int {
            try await container.perform { try $0.count(for: FetchRequest<Job>()) }
        }
    }
}
