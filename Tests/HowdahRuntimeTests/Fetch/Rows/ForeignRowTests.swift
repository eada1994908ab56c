import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Rows that another program wrote, with values that the attributes' types do not have.
@Suite struct ForeignRowTests {
    struct Options: AttributeJSON {
        struct Window: Codable, Hashable { var width = 1 }
        var window = Window()
    }

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Feed",
                properties: [
                    .attribute("name", .string), .attribute("link", .uri), .attribute("readAt", .date),
                    .attribute("price", .decimal), .attribute("tags", .array(of: .string)),
                    .attribute("links", .array(of: .uri)), .attribute("prices", .array(of: .decimal)),
                    .attribute("days", .array(of: .date)),
                ])
        ])
    }

    /// The column, its value in SQL, what the message names, and the value that the debug description shows.
    private static let rows: [(column: String, sql: String, part: String, value: String?)] = [
        ("link", "''", "not a URL", ""),
        ("link", "'a b'", "not a URL", "a b"), ("link", "'http://a/ü'", "not a URL", "http://a/ü"),
        ("read_at", "'infinity'", "an infinite date", "infinity"),
        ("read_at", "'-infinity'", "an infinite date", "-infinity"),
        ("price", "1e40 + 1e-10", "38 digits", "1.000"), ("price", "'Infinity'", "38 digits", "Infinity"),
        ("price", "-12345678901234567890123456789012345678901234.5", "38 digits", "-1.2345678901234567890"),
        ("tags", "ARRAY['a', NULL]", "NULL", nil), ("tags", "ARRAY[['a'], ['b']]", "several dimensions", nil),
        ("links", "ARRAY['http://a', '']", "index 1", ""),
        ("prices", "ARRAY[1, 1e40 + 1e-10]", "index 1", "1.000"),
        ("days", "ARRAY['infinity'::timestamptz]", "index 0", nil),
    ]

    @Test func theFetchNamesPropertyAndRow() async throws {
        try await withStore(Self.model()) { container, sql in
            // A program that made the table itself would not have the CHECKs either.
            let checks =
                "SELECT conname FROM pg_constraint WHERE conrelid = 'feed'::regclass AND contype = 'c'"
            for check in try sql.rows(checks).compactMap(\.first).compactMap(\.self) {
                try sql.rows("ALTER TABLE feed DROP CONSTRAINT \"\(check)\"")
            }
            for (column, value, part, shown) in Self.rows {
                try sql.rows("DELETE FROM feed")
                try sql.rows("INSERT INTO feed (name, \(column)) VALUES ('n', \(value))")
                let key = try #require(try sql.value("SELECT _id::text FROM feed"))
                let error = await #expect(throws: FetchError.self, "\(column) \(value)") {
                    try await container.perform { context in _ = try context.fetch("Feed") }
                }
                #expect(error?.code == .invalidValue)
                let property = column == "read_at" ? "readAt" : column
                #expect(error?.message.contains("Feed.\(property)") == true, "\(error?.message ?? "")")
                #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
                #expect(error?.objectURI?.hasSuffix("p\(key)") == true, "\(error?.objectURI ?? "")")
                if let shown {
                    guard case .string(let text)? = error?.unknownValue else {
                        Issue.record("no value of \(column) \(value)")
                        continue
                    }
                    #expect(text.hasPrefix(shown) && text.count <= 41, "\(text)")
                }
            }
        }
    }

    @Test func aFaultTellsItLikeOtherFailures() async throws {
        try await withStore(Self.model()) { container, sql in
            try sql.rows("INSERT INTO feed (name, link) VALUES ('n', '')")
            let error = await #expect(throws: FetchError.self) {
                try await container.perform { context in
                    var request = FetchRequest<ManagedObject>(entityName: "Feed")
                    request.includesPropertyValues = false
                    let feed = try #require(try context.fetch(request).first)
                    #expect(feed.isFault)
                    #expect(feed["link"] == nil, "nothing stands in for it")
                    #expect(context.failure != nil)
                }
            }
            #expect(error?.code == .invalidValue && error?.message.contains("Feed.link") == true)
        }
    }

    @Test func notANumberIsANumberOfDecimal() async throws {
        try await withStore(Self.model()) { container, sql in
            try sql.rows("INSERT INTO feed (price) VALUES ('NaN')")
            try await container.perform { context in
                let feed = try #require(try context.fetch("Feed").first)
                #expect((feed["price"] as? Decimal)?.isNaN == true)
            }
        }
    }

    @Test func decodingJSONTellsWhere() async throws {
        try await withStore(ManagedObjectModel(Configured.self)) { container, sql in
            try sql.rows(#"INSERT INTO configured (options) VALUES ('{"window": {"width": "wide"}}')"#)
            let error = await #expect(throws: FetchError.self) {
                try await container.perform { context in _ = try context.fetch(Configured.self) }
            }
            #expect(error?.code == .invalidValue)
            #expect(error?.message.contains("Configured.options") == true, "\(error?.message ?? "")")
            #expect(error?.message.contains("window.width") == true, "\(error?.message ?? "")")
            #expect(error?.message.contains("wide") == false, "no values")
        }
    }
}

@Entity final class Configured: ManagedObject {
    var options: ForeignRowTests.Options = ForeignRowTests.Options()
}
