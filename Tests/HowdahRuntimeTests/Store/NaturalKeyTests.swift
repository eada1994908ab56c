import DeclaredModels
import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Objects found by what makes them unique to people.
@Suite(.timeLimit(.minutes(60))) struct NaturalKeyTests {
    @Test func storedAndUnsavedObjectsAreFound() async throws {
        try await withTestStore(DeclaredStaff.ledger()) { container in
            try await container.perform { context in
                let book = Book(context: context)
                (book.title, book.year) = ("e\u{301}", 2026)
                #expect(try context.object(Book.self, naturalKey: "é", 2026) === book)
                try context.save()
                context.reset()
                container.statementLog.start()
                let found = try #require(try context.object(Book.self, naturalKey: "é", 2026))
                #expect(container.statementLog.count == 1)
                #expect(try context.object(Book.self, naturalKey: "é", 2027) == nil)
                #expect(try context.object("Ledger", naturalKey: "é", 2026) === found)
                found.year = 2027
                #expect(try context.object(Book.self, naturalKey: "é", 2026) == nil)
                #expect(try context.object(Book.self, naturalKey: "é", 2027) === found)
                context.delete(found)
                #expect(try context.object(Book.self, naturalKey: "é", 2027) == nil)
            }
        }
    }

    @Test func wrongKeysAreRefusedInWords() async throws {
        try await withTestStore(DeclaredStaff.ledger()) { container in
            try await container.perform { context in
                for ask: () throws -> ManagedObject? in [
                    { try context.object(Book.self, naturalKey: "a") },
                    { try context.object(Book.self, naturalKey: 2026, "a") },
                    { try context.object(Book.self, naturalKey: "a", 70_000) },
                    { try context.object(Entry.self, naturalKey: "a") },
                ] {
                    let error = #expect(throws: FetchError.self) { _ = try ask() }
                    #expect(error?.code == .invalidRequest)
                }
            }
        }
    }

    @Test func subclassesInheritIt() async throws {
        let base = EntityDescription(
            "Base", properties: [.attribute("code", .string, optional: false), .attribute("alias", .string)],
            uniquenessConstraints: [["alias"], ["code"]])
        let sub = EntityDescription("Sub", superentity: "Base", properties: [.attribute("x", .string)])
        let other = EntityDescription("Other", superentity: "Base", properties: [.attribute("y", .string)])
        try await withTestStore(ManagedObjectModel(entities: [base, sub, other])) { container in
            try await container.perform { context in
                context.insert("Sub").setValue("DE", forKey: "code")
                try context.save()
                context.reset()
                let found = try context.object("Sub", naturalKey: "DE")
                #expect(found != nil)
                #expect(try context.object("Base", naturalKey: "DE") === found)
                #expect(try context.object("Other", naturalKey: "DE") == nil)
            }
        }
    }

    @Test func relationshipsAreGivenAsIds() async throws {
        try await withTestStore(Atlas.model()) { container in
            try await container.importLines(Atlas.lines)
            try await container.perform { context in
                let country = try #require(try context.object("Country", naturalKey: "DE"))
                let city = try #require(try context.object("City", naturalKey: country.objectID, "Ulm"))
                #expect(city["name"] as? String == "Ulm")
                #expect(try context.object("City", naturalKey: country.objectID, "Paris") == nil)
                let (new, town) = (context.insert("Country"), context.insert("City"))
                new["code"] = "XX"
                (town["name"], town["country"]) = ("Ulm", new)
                #expect(try context.object("City", naturalKey: new.objectID, "Ulm") === town)
                for wrong: any Sendable in ["DE", city.objectID] {
                    let error = #expect(throws: FetchError.self) {
                        _ = try context.object("City", naturalKey: wrong, "Ulm")
                    }
                    #expect(error?.message.contains("City.country refers to Country") == true)
                }
            }
        }
    }

    /// Required members go before, whatever the order of the constraints; the uppermost entity goes before all.
    @Test func keysThatMayLackFindWhatHasThem() async throws {
        let base = EntityDescription(
            "Base", properties: [.attribute("alias", .string), .attribute("nick", .string)],
            uniquenessConstraints: [["alias"], ["nick"]])
        let sub = EntityDescription(
            "Sub", superentity: "Base", properties: [.attribute("code", .string, optional: false)],
            uniquenessConstraints: [["code"]])
        let other = EntityDescription("Other", superentity: "Base", properties: [.attribute("y", .string)])
        try await withTestStore(ManagedObjectModel(entities: [base, sub, other])) { container in
            try await container.perform { context in
                let (first, second) = (context.insert("Sub"), context.insert("Other"))
                (first["alias"], first["code"]) = ("a", "c")
                second["alias"] = "b"
                context.insert("Other")["nick"] = "n"
                try context.save()
                context.reset()
                #expect(try context.object("Base", naturalKey: "a")?.entityName == "Sub")
                #expect(try context.object("Sub", naturalKey: "a") == nil)
                #expect(try context.object("Sub", naturalKey: "c") != nil)
                #expect(try context.object("Other", naturalKey: "b") != nil)
                #expect(try context.object("Other", naturalKey: "n") == nil)
            }
        }
    }

    /// An import matches what has all members of a key that may lack, and inserts what has not.
    @Test func importsMatchOptionalKeys() async throws {
        let shop = EntityDescription(
            "Shop",
            properties: [
                .attribute("code", .string), .attribute("name", .string),
                .relationship("town", to: "Town", inverse: "shops"),
                .relationship("lead", to: "Shop", inverse: "branches"),
                .relationship("branches", to: "Shop", inverse: "lead", toMany: true),
            ], uniquenessConstraints: [["town", "code"]])
        let town = EntityDescription(
            "Town",
            properties: [
                .attribute("name", .string, optional: false),
                .relationship("shops", to: "Shop", inverse: "town", toMany: true),
            ], uniquenessConstraints: [["name"]])
        try await withTestStore(ManagedObjectModel(entities: [shop, town])) { container in
            let lines = """
                {"@entity":"Town","name":"Ulm"}
                {"@entity":"Shop","@id":"s","code":"1","name":"a","town":{"@ref":{"name":"Ulm"}}}
                {"@entity":"Shop","@id":"t","code":null,"lead":{"@ref":"s"},"name":"b","town":{"@ref":{"name":"Ulm"}}}
                {"@entity":"Shop","@id":"u","code":"1","lead":{"@ref":"s"},"name":"c"}

                """
            _ = try await container.importLines(lines)
            let again = try await container.importLines(
                lines.replacingOccurrences(of: "\"a\"", with: "\"renamed\""))
            #expect(again.insertedCount == 2 && again.updatedCount == 1)
            try await container.perform { context in
                let shops = try context.fetch("Shop", sortedBy: .key("name"))
                #expect(shops.map { $0["name"] as? String } == ["b", "b", "c", "c", "renamed"])
                #expect(shops[4].members(forKey: "branches").count == 4)
                let json = Data(
                    #"[{"code":"1","name":"x","town":{"@ref":{"name":"Ulm"}}},{"code":"2","name":"y"}]"#.utf8)
                let found = try context.importGraph(json, as: "Shop")
                #expect(found[0] === shops[4] && found[1].isInserted)
                // What is not saved yet is found as well.
                found[1]["town"] = shops[4]["town"]
                let next = try context.importGraph(
                    Data(#"{"code":"2","name":"z","town":{"@ref":{"name":"Ulm"}}}"#.utf8), as: "Shop")
                #expect(next.first === found[1])
                try context.save()
            }
        }
    }
}
