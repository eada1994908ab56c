import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Each row of an insertion is counted once, as inserted, updated or skipped.
@Suite struct BatchCountTests {
    private static func counts(_ result: BatchInsertResult<MailJob>) -> [Int] {
        [result.insertedCount, result.updatedCount, result.skippedCount]
    }

    @Test func withoutAPolicyAllAreInserted() async throws {
        try await withTestStore(MailJob.model()) { container in
            let result = try await container.insert(
                into: MailJob.self, from: (0..<2_000).map { ["title": "a", "number": $0] })
            #expect(Self.counts(result) == [2_000, 0, 0])
            let none: [BatchInsertRow] = []
            #expect(Self.counts(try await container.insert(into: MailJob.self, from: none)) == [0, 0, 0])
        }
    }

    @Test(arguments: [
        (MergePolicy.MergeType.mergeByPropertyObjectTrump, [2_498, 2, 0]), (.overwrite, [2_498, 2, 0]),
        (.mergeByPropertyStoreTrump, [2_498, 1, 1]), (.rollback, [2_498, 0, 2]),
    ])
    func storedRowsAreUpdatedOrSkipped(policy: MergePolicy.MergeType, expected: [Int]) async throws {
        try await withTestStore(MailJob.model()) { container in
            try await container.insert(
                into: MailJob.self,
                from: [["code": "7", "title": "a"], ["code": "2000", "title": "a", "note": "n"]])
            let rows: [BatchInsertRow] = (0..<2_500).map {
                ["code": "\($0)", "title": "b", "note": "m"]
            }
            for isStream in [false, true] where !isStream || policy == .rollback {
                let result =
                    isStream
                    ? try await container.insert(
                        into: MailJob.self, uniqueness: policy,
                        from: AsyncStream<BatchInsertRow> { stream in
                            for row in rows { stream.yield(row) }
                            stream.finish()
                        })
                    : try await container.insert(into: MailJob.self, uniqueness: policy, from: rows)
                #expect(Self.counts(result) == (isStream ? [0, 0, 2_500] : expected))
            }
        }
    }

    /// A row meets the row that an earlier one of the same source wrote, as if it had been stored before.
    @Test(arguments: [
        (MergePolicy.MergeType.mergeByPropertyObjectTrump, [2, 3, 0]), (.overwrite, [2, 3, 0]),
        (.rollback, [2, 0, 3]),
    ])
    func rowsThatMeetEachOtherAreCounted(policy: MergePolicy.MergeType, expected: [Int]) async throws {
        try await withTestStore(MailJob.model()) { container in
            let result = try await container.insert(
                into: MailJob.self, uniqueness: policy, result: .objectIDs,
                from: [
                    ["code": "a", "title": "1"], ["code": "b", "title": "1"], ["code": "a", "title": "2"],
                    ["code": "b", "title": "2", "number": 2], ["code": "a", "title": "3"],
                ])
            #expect(Self.counts(result) == expected)
            #expect(result.insertedObjectIDs.count == 2)
            let titles = try await container.perform {
                try $0.fetch(MailJob.self, sortedBy: .key("code")).map(\.title)
            }
            #expect(titles == (policy == .rollback ? ["1", "1"] : ["3", "2"]))
        }
    }
}
