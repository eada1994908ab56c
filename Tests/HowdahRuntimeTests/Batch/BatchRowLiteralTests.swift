import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Rows that are written as literals compile and arrive, wherever the call is.
@Suite struct BatchRowLiteralTests {
    @MainActor private final class Screen {
        let title = "t"

        func insert(into container: PersistentContainer) async throws -> [Int] {
            [
                try await container.insert(
                    into: MailJob.self,
                    from: (0..<500).map { ["title": "a", "number": $0, "payload": Data(), "note": nil] }
                ).count,
                try await container.insert(
                    into: MailJob.self, from: (0..<3).map { _ in ["title": self.title, "payload": Data()] }
                ).count,
                try await container.insert(
                    into: MailJob.self, from: (0..<4).lazy.map { ["title": self.title, "number": $0] }
                ).count,
                try await container.insert(
                    into: MailJob.self,
                    from: (0..<5).lazy.filter { $0 > 1 }.map { _ in ["title": self.title] }
                ).count,
                try await container.insert(
                    into: MailJob.self, from: [["title": "b", "note": nil], ["title": "c", "number": 3]]
                ).count,
                try await container.insert(
                    into: MailJob.self, from: (0..<6).map { ["title": "d", "note": $0 == 1 ? nil : "n"] }
                ).count,
            ]
        }
    }

    @Test func literalsOfAnActorsClosuresAreRows() async throws {
        try await withTestStore(MailJob.model()) { container in
            let counts = try await Screen().insert(into: container)
            #expect(counts == [500, 3, 4, 3, 2, 6])
            let notes = try await container.perform {
                try $0.count(MailJob.self, matching: .format("note == 'n'"))
            }
            #expect(notes == 5)
        }
    }

    @Test func rowsOfDeclaredTypesAreRowsToo() async throws {
        try await withTestStore(MailJob.model()) { container in
            let any: [[String: Any]] = [["title": "a", "number": 1]]
            var count = try await container.insert(into: MailJob.self, from: any).count
            let optional: [[String: (any Sendable)?]] = [["title": "b", "note": nil]]
            count += try await container.insert(into: MailJob.self, from: optional).count
            count += try await container.insert(
                into: MailJob.self, from: Array(repeating: ["title": "c"], count: 50)
            ).count
            let lazy = (0..<3).lazy.map { ["title": "\($0)"] }
            count += try await container.insert(into: MailJob.self, from: lazy).count
            let numbers = AsyncStream<Int> { stream in
                for number in 0..<7 { stream.yield(number) }
                stream.finish()
            }
            count += try await container.insert(
                into: MailJob.self, from: numbers.map { ["title": "e", "number": $0, "note": nil] }
            ).count
            #expect(count == 62)
            #expect(try await container.perform { try $0.count(MailJob.self) } == 62)
        }
    }

    @Test func theLastValueOfAKeyApplies() async throws {
        try await withTestStore(MailJob.model()) { container in
            try await container.insert(into: MailJob.self, from: [["title": "a", "title": "b"]])
            let titles = try await container.perform { try $0.fetch(MailJob.self).map(\.title) }
            #expect(titles == ["b"])
        }
    }

    /// A misspelt name is the cause of the missing one.
    @Test func aMisspeltNameComesBeforeAMissingOne() async throws {
        try await withTestStore(MailJob.model()) { container in
            let row: [String: any Sendable] = ["titel": "a"]
            let stream = AsyncStream<[String: any Sendable]> { stream in
                stream.yield(row)
                stream.finish()
            }
            var errors: [FetchError?] = []
            errors.append(
                await #expect(throws: FetchError.self) {
                    try await container.insert(into: MailJob.self, from: [row])
                })
            errors.append(
                await #expect(throws: FetchError.self) {
                    try await container.insert(into: MailJob.self, uniqueness: .overwrite, from: [row])
                })
            errors.append(
                await #expect(throws: FetchError.self) {
                    try await container.insert(into: MailJob.self, from: stream)
                })
            for error in errors {
                #expect(
                    error?.message == "MailJob has no property 'titel' (row 1). Did you mean 'title'? "
                        + "MailJob.title is required and has no value. Give it a value.")
            }
        }
    }
}
