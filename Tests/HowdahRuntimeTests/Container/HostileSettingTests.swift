import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Settings of the role and the database, each at its worst, change nothing of what is stored, found and fetched.
@Suite(.needsSession) struct HostileSettingTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Thing",
                properties: [
                    .attribute("name", .string), .attribute("double", .double), .attribute("float", .float),
                    .attribute("decimal", .decimal), .attribute("date", .date),
                    .attribute("data", .binary),
                    .attribute("id", .uuid), .attribute("number", .integer64),
                    .relationship("box", to: "Box", inverse: "things"),
                ]),
            EntityDescription(
                "Box",
                properties: [
                    .attribute("name", .string),
                    .relationship(
                        "things", to: "Thing", inverse: "box", toMany: true, deleteRule: .cascade),
                ], uniquenessConstraints: [["name"]]),
        ])
    }

    private static let predicates: [(String, [(any Sendable)?])] = [
        ("double > 0.30000000000000001", []), ("double == 0.1", []), ("float >= 0.1", []),
        ("decimal > 0.1", []),
        ("name LIKE 'a\\\\_*'", []), ("name CONTAINS '\\\\'", []), ("name MATCHES 'a.*'", []),
        ("name ==[c] 'A_B'", []),
        ("date > %@", [Date(timeIntervalSinceReferenceDate: 86_400.5)]), ("number + 1 > 2 * double", []),
        ("box.name BEGINSWITH 'b'", []), ("CAST(number, 'NSString') == '3'", []),
    ]

    /// Uses the store, and tells what came of it.
    private static func use(_ url: String) async throws -> [String] {
        var options = StoreOptions()
        options.schemaName = "made"
        let container = try await PersistentContainer.open(url, model: model(), options: options)
        var found: [String] = []
        try await container.perform { context in
            let box = context.insert("Box")
            box["name"] = "box"
            for number in 0..<6 {
                let thing = context.insert("Thing")
                thing["name"] = ["a_b", "a\\b", "abc", "A_B", "'a'", "ä"][number]
                thing["double"] = [0.1, 0.30000000000000004, 0.3, 1e300, -0.0, .pi][number]
                thing["float"] = Float(number) / 10
                thing["decimal"] = Decimal(string: "0.\(number)00000000000000000001")
                thing["date"] = Date(timeIntervalSinceReferenceDate: Double(number) * 86_400.25)
                thing["data"] = Data([0, 39, 92, UInt8(number), 255])
                thing["id"] = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, UInt8(number)))
                thing["number"] = number
                if number % 2 == 0 { thing["box"] = box }
            }
            try context.save()
        }
        found += try await container.perform(isolation: .readCommitted) { context in
            var found: [String] = []
            var request = FetchRequest<ManagedObject>(entityName: "Thing")
            request.sortDescriptors = [SortKey(keyPath: "date"), SortKey(keyPath: "name")]
            for (format, arguments) in predicates {
                request.predicate = try PredicateTree(format: format, arguments: arguments)
                found.append(
                    "\(format): "
                        + (try context.fetch(request).map { "\($0["number"] ?? "-")" }.joined(separator: " "))
                )
            }
            request.predicate = nil
            for thing in try context.fetch(request) {
                found.append(
                    ["name", "double", "float", "decimal", "date", "data", "id"].map { "\(thing[$0] ?? "-")" }
                        .joined(separator: "|"))
            }
            return found
        }
        // Conflicts, rules and delete rules are as ever.
        await #expect(throws: SaveError.self) {
            try await container.perform { context in
                context.insert("Box")["name"] = "box"
                try context.save()
            }
        }
        found += try await container.perform { context in
            for box in try context.fetch(FetchRequest<ManagedObject>(entityName: "Box")) {
                context.delete(box)
            }
            try context.save()
            return ["\(try context.count(for: FetchRequest<ManagedObject>(entityName: "Thing"))) left"]
        }
        await container.close()
        return found
    }

    @Test(arguments: ["DATABASE", "ROLE"]) func nothingChanges(place: String) async throws {
        let model = try Self.model()
        let expected = try await withTestDatabase(for: model) { try await Self.use($0.url) }
        #expect(expected.last == "3 left" && expected.count == Self.predicates.count + 7, "\(expected)")
        try await withTestDatabase(for: model) { database in
            let sql = PlainSQL(url: database.url)
            let role = "hostile_\(UInt32.random(in: 0 ... .max))"
            try sql.rows("CREATE ROLE \(role) LOGIN SUPERUSER")
            for (setting, value) in HostileSettings.worst {
                try sql.rows(
                    "ALTER \(place) \(place == "ROLE" ? role : "\"\(database.name)\"") SET \(setting) = '\(value)'"
                )
            }
            let url = database.url.replacing("user=postgres", with: "user=\(role)")
            // Opening makes the store.
            #expect(try await Self.use(url) == expected)
            let cleaner = PlainSQL(url: database.url)
            try cleaner.rows("ALTER DATABASE \"\(database.name)\" RESET ALL")
            try cleaner.rows("DROP OWNED BY \(role)")
            try cleaner.rows("DROP ROLE \(role)")
        }
    }
}
