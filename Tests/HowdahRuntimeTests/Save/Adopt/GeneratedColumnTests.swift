import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Copies of the same row, canonical, upper and lower case: computed by the server, and shown right after the save.
@Suite struct GeneratedColumnTests {
    private static let attributes = ["key", "upper", "lower", "city"]

    private static func values(_ object: ManagedObject) -> [String?] {
        attributes.map { object[$0] as? String }
    }

    @Test(arguments: [1, 10, 200])
    func insertsAndUpdatesShowWhatTheServerComputed(count: Int) async throws {
        try await withStore(DerivedModel.model()) { container, _ in
            try await container.perform { context in
                let objects = (0..<count).map { index in
                    let object = context.insert("Department")
                    object["name"] = "Größe ΑΣ É\(index)"
                    object["place.city"] = "Köln"
                    return object
                }
                try context.save()
                for (index, object) in objects.enumerated() {
                    #expect(
                        Self.values(object) == [
                            "grosse ασ e\(index)", "GRÖSSE ΑΣ É\(index)", "größe ας é\(index)", "Köln",
                        ])
                    #expect(!object.hasChanges && object.version == 1)
                    object["name"] = "Ü\(index)"
                }
                try context.save()
                for (index, object) in objects.enumerated() {
                    #expect(Self.values(object) == ["u\(index)", "Ü\(index)", "ü\(index)", "Köln"])
                    object["place"] = nil
                }
                try context.save()
                #expect(objects.allSatisfy { $0["city"] == nil && $0.version == 3 })
                let shown = objects.map(Self.values)
                for object in objects { context.refresh(object) }
                #expect(objects.map(Self.values) == shown)
            }
            try await container.perform { context in
                var request = FetchRequest<ManagedObject>(entityName: "Department")
                request.predicate = .format("key == %@", "u0")
                let found = try context.fetch(request)
                #expect(found.map { $0["name"] as? String } == ["Ü0"])
            }
        }
    }

    @Test func subentitiesHaveTheirOwn() async throws {
        try await withStore(DerivedModel.model()) { container, sql in
            try await container.perform { context in
                let (boss, employee) = (context.insert("Boss"), context.insert("Employee"))
                boss["name"] = "Ada"
                boss["title"] = "Präsidentin"
                employee["name"] = "Bea"
                try context.save()
                #expect(boss["titleKey"] as? String == "prasidentin")
                #expect(boss["leadsCount"] as? Int64 == 0)
                #expect(
                    try sql.value("SELECT count(*)::text FROM employee WHERE boss_leads_count IS NULL") == "1"
                )
            }
        }
    }

    /// One row is one statement in one round trip, with and without derived attributes.
    @Test func readingBackCostsNoRoundTrip() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Word",
                properties: [
                    .attribute("text", .string), .attribute("size", .integer64),
                    .attribute("key", .string, derivation: "canonical:(text)"),
                ])
        ])
        try await withStore(model) { container, _ in
            try await container.perform { context in
                container.statementLog.start()
                let word = context.insert("Word")
                word["text"] = "É"
                try context.save()
                word["text"] = "Ü"
                try context.save()
                #expect(word["key"] as? String == "u")
                word["size"] = 1
                try context.save()
                let sql = container.statementLog.events.map(\.sql).filter { !$0.contains("nextval") }
                #expect(sql.count == 3)
                #expect(sql.filter { $0.contains("RETURNING \"_id\", \"key\"") }.count == 2)
                #expect(!sql.contains { $0.contains("BEGIN") || $0.contains("SET \"key\"") })
            }
        }
    }

    @Test func aUniqueKeyWithoutCase() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Word",
                properties: [
                    .attribute("text", .string), .attribute("key", .string, derivation: "canonical:(text)"),
                ], uniquenessConstraints: [["key"]])
        ])
        try await withStore(model) { container, _ in
            try await container.perform { context in
                let (one, two) = (context.insert("Word"), context.insert("Word"))
                one["text"] = "Straße"
                two["text"] = "STRASSE"
                #expect(saveError { try context.save() }?.code == .uniqueness)
                two["text"] = "Gasse"
                try context.save()
                #expect(two["key"] as? String == "gasse")
            }
        }
    }
}
