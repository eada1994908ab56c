import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// What tables of another program refuse, lack and compare, in the words of the model.
@Suite struct ExistingRefusalTests {
    private static let table = """
        CREATE TYPE mood AS ENUM ('calm', 'cross');
        CREATE TABLE client (
            %@ name varchar(20) NOT NULL, email text UNIQUE, mood mood, code char(3), price numeric(5, 2),
            age int CONSTRAINT grown CHECK (age >= 18), low int, high int, place_lat double precision,
            place_lon double precision, place_alt double precision, _version bigint NOT NULL DEFAULT 1,
            CONSTRAINT in_order CHECK (low < high));
        CREATE UNIQUE INDEX one_code ON client (code);
        INSERT INTO client (name, email, code) VALUES ('Ada', 'ada@x', 'A'), ('ÉMILE', 'e@x', 'B'), ('groß', NULL, NULL);
        """

    /// The key before or behind other columns, which decides what the server's DETAIL begins with.
    private static let keys = ["id serial PRIMARY KEY,", "note text, id serial PRIMARY KEY,"]

    private static func model() throws -> ManagedObjectModel {
        let place = CompositeDescription(
            "Place",
            [
                .init("lat", .double, optional: false), .init("lon", .double, optional: false),
                .init("alt", .double),
            ])
        return try ManagedObjectModel(entities: [
            EntityDescription(
                "Client",
                properties: [
                    .attribute("name", .string, optional: false, caseInsensitive: true),
                    .attribute("email", .string), .attribute("mood", .string), .attribute("code", .string),
                    .attribute("price", .decimal), .attribute("age", .integer32),
                    .attribute("low", .integer32), .attribute("high", .integer32),
                    .attribute("place", .composite(place)),
                ], userInfo: [MappingKey.key: "id"])
        ])
    }

    private static func with(
        _ key: String = keys[0], _ body: (PersistentContainer, PlainSQL) async throws -> Void
    ) async throws {
        try await Shop.with(table.replacingOccurrences(of: "%@", with: key)) { shop in
            try await shop.open(model()) { try await body($0, shop.sql) }
        }
    }

    /// Each with the property, or properties, and a part of the message.
    private static let refusals: [(change: [String: any Sendable], properties: [String], part: String)] = [
        (["name": String(repeating: "é", count: 21)], ["name"], "20 characters"),
        (["mood": "glad"], ["mood"], "calm, cross"), (["code": "ABCD"], ["code"], "3 characters"),
        (["price": Decimal(999.995)], ["price"], "2 of them after the point"),
        (["age": 17], ["age"], "grown"), (["low": 2, "high": 1], ["low", "high"], "in_order"),
        (["email": "ada@x"], ["email"], "another object has already"),
        (["code": "A"], ["code"], "another object has already"),
    ]

    @Test(arguments: keys) func refusedSavesNameEntityPropertyAndObject(key: String) async throws {
        try await Self.with(key) { container, _ in
            try await container.perform { context in
                let stored = try #require(
                    try context.fetch("Client", matching: .format("email == 'e@x'")).first)
                for (change, properties, part) in Self.refusals {
                    for isNew in [true, false] {
                        let client = isNew ? context.insert("Client") : stored
                        if isNew { client["name"] = "new" }
                        for (name, value) in change { client[name] = value }
                        let error = saveError { try context.save() }
                        let issue = error?.issues.first
                        #expect(error?.issues.count == 1, "\(change) \(error.map { "\($0)" } ?? "stored")")
                        #expect(issue?.entityName == "Client" && issue?.properties == properties, "\(change)")
                        #expect(issue?.message.contains(part) == true, "\(change) \(issue?.message ?? "")")
                        #expect(issue?.objectID == client.objectID, "\(change) new: \(isNew)")
                        context.rollback()
                    }
                }
                // What the columns hold after rounding, or without blanks, is no reason to refuse.
                stored["price"] = Decimal(string: "999.994")
                (stored["code"], stored["mood"], stored["name"]) = (
                    "C     ", "calm", "x" + String(repeating: " ", count: 30)
                )
                try context.save()
            }
        }
    }

    @Test func textsAreFoldedWithoutFunctionsOfTheStore() async throws {
        try await Self.with { container, sql in
            try await container.perform { context in
                for (format, expected) in [
                    ("name == 'ada'", ["Ada"]), ("name ==[n] 'ada'", []), ("email ==[c] 'ADA@X'", ["Ada"]),
                    ("name ==[cd] 'emile'", ["ÉMILE"]), ("name ==[d] 'EMILE'", ["ÉMILE"]),
                    ("name == 'émile'", ["ÉMILE"]), ("name == 'GROSS'", ["groß"]),
                    ("name BEGINSWITH[cd] 'em'", ["ÉMILE"]), ("name IN[c] {'ADA', 'x'}", ["Ada"]),
                    ("name LIKE 'a*'", ["Ada"]), ("name MATCHES[c] 'a.a'", ["Ada"]),
                    ("code ==[c] 'b'", ["ÉMILE"]), ("mood ==[c] 'CALM'", []),
                    ("name > 'e'", ["groß", "ÉMILE"]),
                ] {
                    var request = FetchRequest<ManagedObject>(entityName: "Client")
                    request.predicate = try PredicateTree(format: format)
                    request.sortDescriptors = [SortKey(keyPath: "name")]
                    let names = try context.fetch(request).compactMap { $0["name"] as? String }
                    #expect(names == expected, "\(format)")
                }
            }
            #expect(
                try sql.value("SELECT count(*)::text FROM pg_proc WHERE proname LIKE '\\_howdah%'") == "0")
        }
    }

    @Test func aCompositeInPartIsNoZero() async throws {
        for isTyped in [false, true] {
            try await Shop.with(Self.table.replacingOccurrences(of: "%@", with: Self.keys[0])) { shop in
                let model = isTyped ? try ManagedObjectModel(TypedClient.self) : try Self.model()
                try shop.sql.rows(
                    "UPDATE client SET place_lat = 1, place_lon = 2 WHERE name = 'Ada'")
                try await shop.open(model) { container in
                    try await container.perform { context in
                        let clients = try context.fetch(model.entities[0].name)
                        #expect(clients.count == 3)
                    }
                    try shop.sql.rows("UPDATE client SET place_lon = NULL WHERE name = 'Ada'")
                    let error = await #expect(throws: FetchError.self) {
                        try await container.perform { _ = try $0.fetch(model.entities[0].name) }
                    }
                    #expect(error?.code == .invalidValue && error?.objectURI?.hasSuffix("p1") == true)
                    #expect(error?.message.contains("place.lon") == true, "\(error?.message ?? "")")
                }
            }
        }
    }
}

@Composite struct ClientPlace {
    var lat: Double
    var lon: Double
    var alt: Double?
}

@Entity(table: "client", key: "id") final class TypedClient: ManagedObject {
    var name: String
    var place: ClientPlace?
}
