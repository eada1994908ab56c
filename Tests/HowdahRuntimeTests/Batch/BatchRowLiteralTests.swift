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
                    from: (0..<500).map {
                        ["title": "a", "number": $0, "payload": Data(), "note": String?.none]
                    }
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

    @Test func literalsOfARequestMayHaveNil() async throws {
        try await withTestStore(MailJob.model()) { container in
            try await container.perform { context in
                let result = try context.execute(
                    BatchInsertRequest(
                        MailJob.self,
                        objects: [
                            ["title": "a", "note": nil], ["title": "b", "number": 2, "note": "n"],
                            ["title": "c", "payload": Data(), "runAt": Date()],
                        ]))
                #expect(result.insertedCount == 3)
                // Without nil, and as a value of the type.
                var request = BatchInsertRequest(MailJob.self, objects: [["title": "d", "number": 1]])
                #expect(try context.execute(request).insertedCount == 1)
                request = BatchInsertRequest(MailJob.self, objects: [["title": "e"], ["title": "f"]])
                #expect(try context.execute(request).insertedCount == 2)
                let rows: [[String: Any]] = [["title": "g", "number": 1]]
                #expect(try context.execute(BatchInsertRequest(MailJob.self, objects: rows)).count == 1)
                let literals: [BatchInsertRow] = [["title": "h", "note": String?.none]]
                #expect(try context.execute(BatchInsertRequest(MailJob.self, objects: literals)).count == 1)
                let titles = try context.fetch(MailJob.self, matching: .format("note == NIL")).map(\.title)
                #expect(titles.sorted() == ["a", "c", "d", "e", "f", "g", "h"])
            }
        }
    }

    /// With values that are optional, the compiler takes the parameter for an optional one.
    @Test func parametersOfClosuresAreNotOptional() async throws {
        try await withTestStore(MailJob.model()) { container in
            try await container.insert(
                into: MailJob.self, from: (0..<2).map { ["title": "a \($0)", "number": $0] })
            try await container.insert(
                into: MailJob.self, from: [7].map { ["title": "b \($0)", "number": $0, "payload": Data()] })
            try await container.insert(
                into: MailJob.self,
                from: stride(from: 3, to: 5, by: 1).lazy.map { ["title": "c \($0)", "number": $0] })
            let none: String? = nil
            try await container.insert(into: MailJob.self, from: [["title": "d", "note": none]])
            let rows = try await container.perform { context in
                try context.fetch(MailJob.self).map { "\($0.title) \($0.note ?? "-")" }.sorted()
            }
            #expect(rows == ["a 0 -", "a 1 -", "b 7 -", "c 3 -", "c 4 -", "d -"])
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
