import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// A row that does not name a property gets the value that the class computes for new objects.
@Suite struct BatchInitialValueTests {
    @Test(arguments: [MergePolicy.MergeType.error, .mergeByPropertyObjectTrump])
    func eachRowGetsValuesOfItsOwn(policy: MergePolicy.MergeType) async throws {
        try await withTestStore(MailJob.model()) { container in
            let start = Date()
            let (named, day) = (UUID(), Date(timeIntervalSince1970: 1_000_000))
            let rows = (0..<2_500).map { ["title": "\($0)"] } as [[String: any Sendable]]
            try await container.insert(
                into: MailJob.self, uniqueness: policy,
                from: rows + [["title": "x", "token": named, "runAt": day]])
            try await container.insert(
                into: MailJob.self, uniqueness: policy,
                from: AsyncStream<[String: String]> { stream in
                    for _ in 0..<10 { stream.yield(["title": "s"]) }
                    stream.finish()
                })
            try await container.perform { context in
                let jobs = try context.fetch(MailJob.self)
                #expect(jobs.count == 2_511 && Set(jobs.map(\.token)).count == 2_511)
                #expect(jobs.filter { $0.title == "x" }.map(\.token) == [named])
                #expect(jobs.filter { $0.title == "x" }.map(\.runAt) == [day])
                let others = jobs.filter { $0.title != "x" }
                #expect(others.allSatisfy { $0.runAt.timeIntervalSince(start) > -1 && $0.kind == "mail" })
            }
        }
    }

    /// Of a stored row, only named properties change.
    @Test func aMergedRowKeepsItsValues() async throws {
        try await withTestStore(MailJob.model()) { container in
            let token = UUID()
            try await container.insert(
                into: MailJob.self, from: [["code": "c", "title": "old", "token": token]])
            try await container.insert(
                into: MailJob.self, uniqueness: .mergeByPropertyObjectTrump,
                from: [["code": "c", "title": "new"]])
            try await container.perform { context in
                let job = try #require(try context.fetch(MailJob.self).first)
                #expect(job.title == "new" && job.token == token)
            }
            try await container.insert(
                into: MailJob.self, uniqueness: .overwrite, from: [["code": "c", "title": "newest"]])
            try await container.perform { context in
                let job = try #require(try context.fetch(MailJob.self).first)
                #expect(job.title == "newest" && job.token != token)
            }
        }
    }
}
