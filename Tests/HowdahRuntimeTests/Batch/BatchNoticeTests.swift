import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Who listens to the store hears of batch requests, and contexts that follow it see what they did.
@Suite(.timeLimit(.minutes(60))) struct BatchNoticeTests {
    @Test func listenersHearOfAllThreeKinds() async throws {
        try await withTestStore(Company.model()) { container in
            var saves = container.saves.makeAsyncIterator()
            try await container.insert(into: Department.self, from: [["name": "a"], ["name": "b"]])
            #expect(await saves.next().map(NoticeLines.lists) == " +DD")
            try await container.insert(
                into: Department.self, uniqueness: .overwrite,
                from: [["name": "a", "budget": 2], ["name": "c"]])
            #expect(await saves.next().map(NoticeLines.lists) == " +D")
            #expect(await saves.next().map(NoticeLines.lists) == " ~D")
            try await container.perform { context in
                try context.execute(BatchUpdateRequest(Department.self, set: ["budget": 3]))
            }
            #expect(await saves.next().map(NoticeLines.lists) == " ~DDD")
            try await container.perform { context in
                try context.execute(BatchDeleteRequest(Department.self, matching: .format("name == 'a'")))
            }
            #expect(await saves.next().map(NoticeLines.lists) == " -D")
            // Within a transaction nothing is told before its end, and nothing of one that is rolled back.
            try? await container.perform(isolation: .readCommitted) { context in
                try context.execute(BatchDeleteRequest(Department.self))
                throw CancellationError()
            }
            try await container.perform(isolation: .readCommitted) { context in
                try context.execute(BatchUpdateRequest(Department.self, set: ["budget": 4]))
            }
            #expect(await saves.next().map(NoticeLines.lists) == " ~DD")
        }
    }

    @Test func manyIDsComeInSeveralNotices() async throws {
        try await withTestStore(Company.model()) { container in
            var saves = container.saves.makeAsyncIterator()
            try await container.insert(
                into: Employee.self, from: (0..<25_000).lazy.map { _ in ["firstName": "e"] })
            var counts: [Int] = []
            for _ in 0..<3 { counts.append(await saves.next()?.insertedObjectIDs.count ?? 0) }
            #expect(counts == [10_000, 10_000, 5_000])
        }
    }

    @Test func aContextFollowsByItselfOrOnRequest() async throws {
        try await withTestStore(Company.model()) { container in
            let ids = try await container.insert(
                into: Department.self, result: .objectIDs, from: [["name": "a"], ["name": "b"]]
            ).objectIDs
            let (follower, other) = (container.newBackgroundContext(), container.newBackgroundContext())
            try await follower.perform { context in
                context.automaticallyMergesChangesFromParent = true
                #expect(context.object(with: ids[0]).budget == 0)
            }
            try await other.perform { context in
                let (first, second) = (context.object(with: ids[0]), context.object(with: ids[1]))
                #expect(first.budget == 0 && second.name == "b" && first.employees.count == 0)
                let updated = try context.execute(
                    BatchUpdateRequest(Department.self, set: ["budget": 5], result: .objectIDs))
                let gone = try context.execute(
                    BatchDeleteRequest(objectIDs: [ids[1]], result: .objectIDs))
                let new = try context.execute(
                    BatchInsertRequest(
                        Employee.self, objects: [["firstName": "e", "department": ids[0]]],
                        result: .objectIDs))
                #expect(first.budget == 0 && first.employees.count == 0 && second.name == "b")
                for notice in [updated.notice, gone.notice, new.notice] {
                    try context.mergeChanges(from: notice)
                }
                #expect(first.budget == 5 && first.employees.map(\.firstName) == ["e"])
                #expect(second.managedObjectContext == nil)
            }
            try await follower.perform { context in
                #expect(context.object(with: ids[0]).budget == 5)
            }
        }
    }

    @Test func aContextThatFollowsSeesItsOwnBatches() async throws {
        try await withTestStore(Company.model()) { container in
            try await container.insert(into: Department.self, from: [["name": "a"]])
            let handle = container.newBackgroundContext()
            try await handle.perform { context in
                context.automaticallyMergesChangesFromParent = true
                let department = try #require(try context.fetch(Department.self).first)
                try context.execute(BatchUpdateRequest(Department.self, set: ["budget": 8]))
                #expect(department.budget == 0)
            }
            try await handle.perform { context in
                let budget = try context.fetch(Department.self).first?.budget
                #expect(budget == 8)
            }
        }
    }
}
