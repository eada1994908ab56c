import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// A failed save changes neither store nor context, whatever the reason, and works once the reason is gone.
@Suite struct FailedSaveTests {
    enum Reason: CaseIterable {
        case missingValue, missingDestination, tooLow, tooLong, pattern, nul, unique, uniqueInCopy,
            danglingKey
        case check, notNull, indexRow, lostConnection, lostInCopy, lostInDelete, conflict
    }

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                EntityDescription(
                    "Thing",
                    properties: [
                        .attribute("name", .string, optional: false),
                        .attribute("code", .string, maximumLength: 5, regex: "[A-Z]+"),
                        .attribute("level", .integer32, optional: false, default: .int(1), minimum: .int(0)),
                        .attribute("note", .string),
                        .relationship("box", to: "Box", inverse: "things", optional: false),
                        .relationship("friends", to: "Thing", inverse: "fans", toMany: true),
                        .relationship("fans", to: "Thing", inverse: "friends", toMany: true),
                    ],
                    uniquenessConstraints: [["name"]]),
                EntityDescription(
                    "Box",
                    properties: [
                        .attribute("label", .string),
                        .relationship(
                            "things", to: "Thing", inverse: "box", toMany: true, deleteRule: .cascade),
                    ]),
            ])
    }

    @Test(arguments: Reason.allCases)
    func nothingChangesAndTheNextSaveWorks(reason: Reason) async throws {
        try await withStore(Self.model()) { container, sql in
            try await container.perform { context in
                let scene = Scene(context)
                try context.save()
                scene.change()
                let before = (try Self.rows(sql), scene.state)
                let mend = try Self.spoil(reason, scene, sql)
                let spoilt = scene.state
                let error = try #require(saveError { try context.save() }, "\(reason)")
                #expect(try Self.rows(sql) == before.0 || reason == .danglingKey || reason == .conflict)
                #expect(scene.state == spoilt)
                check(error, reason, scene)
                #expect(
                    !"\(error)".contains("hush") && !"\(error)".contains(String(repeating: "x", count: 9)))
                try mend()
                try context.save()
                #expect(!context.hasChanges && !scene.added.objectID.isTemporaryID)
                #expect(try sql.value("SELECT count(*)::text FROM thing WHERE name = 'gone'") == "0")
                #expect(try sql.value("SELECT note FROM thing WHERE name = 'kept'") == "changed")
                #expect(try sql.value("SELECT count(*)::text FROM thing WHERE name = 'added'") == "1")
            }
        }
    }

    private func check(_ error: SaveError, _ reason: Reason, _ scene: Scene) {
        let issue = error.issues.first
        switch reason {
        case .missingValue: expect(error, .validation, "name", scene.added)
        case .missingDestination: expect(error, .validation, "box", scene.added)
        case .tooLow:
            expect(error, .validation, "level", scene.added)
            #expect(issue?.code == 1620)
        case .tooLong:
            // Broken twice, told at once.
            #expect(error.issues.map(\.code) == [1660, 1680])
            expect(error, .validation, "code", scene.added)
        case .pattern: expect(error, .validation, "code", scene.added)
        case .nul, .indexRow: #expect(error.code == .validation && error.databaseError != nil)
        case .unique, .uniqueInCopy: expect(error, .uniqueness, "name", scene.added)
        case .danglingKey:
            #expect(
                error.code == .referentialIntegrity && issue?.entityName == "Thing"
                    && issue?.propertyName == "box")
        case .check, .notNull:
            #expect(error.code == .validation && issue?.propertyName == "level", "\(error)")
        case .lostConnection, .lostInCopy, .lostInDelete:
            #expect(
                error.code == .database && error.databaseError?.code == .connectionLost,
                "\(error.debugDescription)")
        case .conflict: #expect(error.code == .conflict)
        }
    }

    private func expect(
        _ error: SaveError, _ code: SaveError.Code, _ property: String, _ object: ManagedObject
    ) {
        #expect(error.code == code)
        #expect(error.issues.first?.entityName == "Thing" && error.issues.first?.propertyName == property)
        #expect(error.issues.first?.objectID == object.objectID)
    }

    private static func rows(_ sql: PlainSQL) throws -> [[String?]] {
        try sql.rows("SELECT t::text FROM thing t ORDER BY t._id")
            + sql.rows("SELECT b::text FROM box b ORDER BY b._id")
            + sql.rows("SELECT l::text FROM thing_fans l ORDER BY 1")
    }

    /// Puts the reason in place; the result takes it away again.
    private static func spoil(_ reason: Reason, _ scene: Scene, _ sql: PlainSQL) throws -> () throws -> Void {
        let added = scene.added
        switch reason {
        case .missingValue:
            added["name"] = nil
            return { added["name"] = "added" }
        case .missingDestination:
            added["box"] = nil
            return { added["box"] = scene.box }
        case .tooLow:
            added["level"] = -1
            return { added["level"] = 1 }
        case .tooLong:
            added["code"] = "hushhush"
            return { added["code"] = nil }
        case .pattern:
            added["code"] = "hush"
            return { added["code"] = "HUSH" }
        case .nul:
            added["note"] = "hush\0"
            return { added["note"] = nil }
        case .unique, .uniqueInCopy:
            if reason == .uniqueInCopy { scene.addMany() }
            added["name"] = "hush"
            return { added["name"] = "added" }
        case .danglingKey:
            try sql.rows("DELETE FROM box WHERE label = 'empty'")
            added["box"] = scene.empty
            return { added["box"] = scene.box }
        case .check:
            let checks = try StoreSchema(model()).table(named: "thing")?.checks ?? []
            let name = try #require(checks.first { $0.origin.properties == ["level"] }?.name)
            try sql.rows("ALTER TABLE thing DROP CONSTRAINT \(name)")
            try sql.rows("ALTER TABLE thing ADD CONSTRAINT \(name) CHECK (level < 50)")
            added["level"] = 60
            return { added["level"] = 1 }
        case .notNull:
            try sql.rows(
                "CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.level = NULL; RETURN NEW; END'"
            )
            try sql.rows("CREATE TRIGGER spoil BEFORE INSERT ON thing FOR EACH ROW EXECUTE FUNCTION spoil()")
            return { try sql.rows("DROP TRIGGER spoil ON thing") }
        case .indexRow:
            var random = SeededGenerator(seed: 1)
            added["name"] = String(
                (0..<9_000).map { _ in Character(Unicode.Scalar(UInt8.random(in: 97...122, using: &random))) }
            )
            return { added["name"] = "added" }
        case .lostConnection, .lostInCopy, .lostInDelete:
            if reason == .lostInCopy { scene.addMany() }
            try sql.rows(
                "CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'"
            )
            let event = reason == .lostInDelete ? "DELETE" : "INSERT"
            try sql.rows("CREATE TRIGGER spoil AFTER \(event) ON thing FOR EACH ROW EXECUTE FUNCTION spoil()")
            return { try sql.rows("DROP TRIGGER spoil ON thing") }
        case .conflict:
            try sql.rows("UPDATE thing SET level = 7, _version = _version + 1 WHERE name = 'kept'")
            return {
                scene.context.refresh(scene.kept)
                scene.kept["note"] = "changed"
            }
        }
    }

    /// A little graph with one change of every kind pending.
    private final class Scene {
        let context: ManagedObjectContext
        let box, empty, kept, gone, other: ManagedObject
        private(set) var added: ManagedObject

        init(_ context: ManagedObjectContext) {
            self.context = context
            func thing(_ name: String, _ box: ManagedObject) -> ManagedObject {
                let thing = context.insert("Thing")
                thing["name"] = name
                thing["box"] = box
                return thing
            }
            (box, empty) = (context.insert("Box"), context.insert("Box"))
            empty["label"] = "empty"
            (kept, gone, other) = (thing("kept", box), thing("gone", box), thing("hush", box))
            kept.members(forKey: "friends").insert(gone)
            added = kept
        }

        func change() {
            added = context.insert("Thing")
            added["name"] = "added"
            added["box"] = box
            kept["note"] = "changed"
            kept.members(forKey: "friends").insert(added)
            kept.members(forKey: "friends").insert(other)
            box["label"] = "changed"
            context.delete(gone)
        }

        func addMany() {
            for index in 0..<200 {
                let thing = context.insert("Thing")
                thing["name"] = "many \(index)"
                thing["box"] = box
            }
        }

        /// Everything about the context that a save changes.
        var state: [String] {
            let objects = [box, empty, kept, gone, other, added]
            let lists = [
                context.insertedObjects.count, context.updatedObjects.count, context.deletedObjects.count,
            ]
            let lines = objects.map { object in
                let own =
                    object.entityName == "Thing"
                    ? "\(object["name"] ?? "") \(object["note"] ?? "") "
                        + "\(object.members(forKey: "friends").objects.map(\.key).sorted())"
                    : "\(object["label"] ?? "") \(object.members(forKey: "things").objects.map(\.key).sorted())"
                return "\(object.key) \(object.version) \(object._flags.rawValue) \(object._written) "
                    + "\(object.changedPropertyNames) \(own)"
            }
            return lines + ["\(lists)", "\(context.hasChanges)"]
        }
    }
}
