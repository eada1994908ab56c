import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

/// The body of a request says what key paths name, and nothing else.
@Suite struct GraphKeyPathsTests {
    private static func read(
        _ json: String, as entity: String, _ keyPaths: [String], _ context: ManagedObjectContext
    ) throws -> [ManagedObject] {
        try context.importGraph(Data(json.utf8), as: entity, keyPaths: keyPaths)
    }

    private func withAtlas(
        _ body: @escaping @Sendable (ManagedObjectContext, PlainSQL) throws -> Void
    ) async throws {
        try await withStore(Atlas.model()) { container, sql in
            try await container.importLines(Atlas.lines)
            try await container.perform { try body($0, sql) }
        }
    }

    /// Each document says one thing more than the key paths name, at this place.
    @Test(arguments: [
        ("City", ["name"], #"{"name":"Rome","area":1}"#, "area"),
        ("City", ["*"], #"{"name":"Rome","country":{"@ref":{"code":"FR"}}}"#, "country"),
        ("City", ["*", "country"], #"{"name":"Rome","country":{"code":"FR","name":"Gaul"}}"#, "country"),
        ("City", ["*", "country"], #"{"name":"Rome","country":{"code":"FR"}}"#, "country"),
        (
            "City", ["*", "country.code"], #"{"name":"Rome","country":{"code":"FR","size":9}}"#,
            "country.size"
        ),
        (
            "City", ["*", "country.code"], #"{"name":"Rome","country":{"code":"FR","cities":[]}}"#,
            "country.cities"
        ),
        ("Country", ["code"], #"[{"code":"FR"},{"code":"DE","cities":[]}]"#, "[1].cities"),
        (
            "Country", ["code", "cities.name"], #"{"code":"FR","cities":[{"name":"Lyon","people":[]}]}"#,
            "cities[0].people"
        ),
        ("Adult", ["*", "friends"], #"{"name":"Di","friends":[{"name":"Ed"}]}"#, "friends[0]"),
        (
            "Adult", ["*", "friends.name"], #"{"name":"Di","friends":[{"@entity":"Adult","name":"Ed"}]}"#,
            "friends[0]['@entity']"
        ),
        ("Person", ["name"], #"{"@entity":"Adult","name":"Di"}"#, "['@entity']"),
    ])
    func whatIsNotNamedIsRefused(entity: String, keyPaths: [String], json: String, place: String) async throws
    {
        try await withAtlas { context, _ in
            let error = try #require(throws: GraphError.self) {
                try Self.read(json, as: entity, keyPaths, context)
            }
            #expect(error.code == .notInKeyPaths, "\(error)")
            #expect(Self.plain(error.path) == Self.plain(place), "\(error)")
            #expect(!context.hasChanges)
        }
    }

    /// Paths may write members with or without quotes.
    private static func plain(_ path: String) -> String {
        path.replacing(/[\[\]"'.]/, with: " ").split(separator: " ").joined(separator: ".")
    }

    @Test func whatIsNamedIsImported() async throws {
        try await withAtlas { context, sql in
            _ = try Self.read(
                #"{"name":"Rome","area":1,"country":{"@ref":{"code":"FR"}}}"#, as: "City", ["*", "country"],
                context)
            _ = try Self.read(
                #"{"name":"Oslo","country":{"code":"NO","name":"Norway"}}"#, as: "City",
                ["name", "country.code", "country.name"], context)
            _ = try Self.read(
                #"{"@entity":"Child","name":"Di","friends":[{"@entity":"Adult","name":"Ed"}],"city":null}"#,
                as: "Person", ["@entity", "name", "city", "friends.@entity", "friends.*"], context)
            try context.save()
            #expect(
                try sql.rows(
                    "SELECT c.name, s.name FROM city c JOIN country s ON s._id = c.country ORDER BY 1")
                    == [["Oslo", "Norway"], ["Paris", nil], ["Rome", nil], ["Ulm", "Germany"]])
            #expect(try sql.value("SELECT count(*)::text FROM person WHERE name IN ('Di', 'Ed')") == "2")
        }
    }

    @Test func wrongKeyPathsAreTold() async throws {
        try await withAtlas { context, _ in
            for (path, word) in [
                ("nam", "Did you mean name?"), ("name.x", "continues after the attribute name"),
                ("@entity.x", "no property"),
            ] {
                let error = try #require(throws: GraphError.self) {
                    try Self.read("{}", as: "Country", [path], context)
                }
                #expect(error.code == .invalidKeyPath && error.message.contains(word), "\(error)")
            }
            // Exports have no use for it.
            #expect(throws: GraphError.self) {
                try context.encodeGraph(of: context.fetch("Country"), keyPaths: ["@entity"])
            }
        }
    }
}
