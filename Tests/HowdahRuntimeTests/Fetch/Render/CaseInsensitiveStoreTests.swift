import Foundation
import Howdah
import HowdahModel
import TestSupport
import Testing

@testable import HowdahRuntime

/// Uniqueness and natural keys of case-insensitive strings in a store.
@Suite struct CaseInsensitiveStoreTests {
    private static func model() throws -> ManagedObjectModel {
        let name = AttributeType.composite(
            CompositeDescription("Name", [AttributeDescription("first", .string, caseInsensitive: true)]))
        return try ManagedObjectModel(entities: [
            EntityDescription(
                "User",
                properties: [
                    .attribute(
                        "login", .string, optional: false, caseInsensitive: true, maximumLength: 40,
                        regex: "[A-Z][^ ]*"),
                    .attribute("realm", .integer32), .attribute("nick", .string, caseInsensitive: true),
                    .attribute("key", .string, caseInsensitive: true, userInfo: [MappingKey.digest: "true"]),
                    .attribute("name", name),
                ], uniquenessConstraints: [["login"], ["realm", "nick"], ["key"], ["name"]])
        ])
    }

    @discardableResult
    private static func user(_ login: String, in context: ManagedObjectContext) -> ManagedObject {
        let user = context.insert("User")
        user["login"] = login
        return user
    }

    /// The same words whether the other object is in the database or in the same save.
    @Test(arguments: [true, false]) func whatDiffersByCaseIsTheSame(isStored: Bool) async throws {
        let cases: [(property: String, first: String, second: String, reported: [String])] = [
            ("login", "Straße", "STRASSE", ["login"]), ("login", "XΑΣ", "Xας", ["login"]),
            ("nick", "ada", "Ada", ["realm", "nick"]), ("key", "é", "É", ["key"]),
        ]
        for (property, first, second, reported) in cases {
            try await withStore(Self.model()) { container, sql in
                try await container.perform { context in
                    let users = ["One", "Two"].map { Self.user($0, in: context) }
                    for (user, text) in zip(users, [first, second]) {
                        (user["realm"], user[property]) = (1, text)
                    }
                    if isStored {
                        users[1]["realm"] = 2
                        users[1][property] = property == "login" ? "Other" : "other"
                        try context.save()
                        (users[1]["realm"], users[1][property]) = (1, second)
                    }
                    let error = try #require(saveError { try context.save() })
                    #expect(error.code == .uniqueness && error.issues.map(\.properties) == [reported])
                    #expect(error.issues.allSatisfy { $0.code == ValidationIssue.uniqueness })
                    if reported.count == 1 {
                        let ids = users.map(\.objectID)
                        let offender = try #require(error.issues.first?.objectID)
                        #expect(isStored ? offender == ids[1] : ids.contains(offender))
                    }
                    users[1][property] = property == "login" ? "Third" : "third"
                    try context.save()
                }
                #expect(try sql.value("SELECT count(*)::text FROM \"user\"") == "2")
            }
        }
    }

    @Test func compositesAreUniqueFolded() async throws {
        try await withStore(Self.model()) { container, _ in
            try await container.perform { context in
                let users = ["One", "Two"].map { Self.user($0, in: context) }
                users[0].setValue("ada", forKey: "name.first")
                users[1].setValue("ADA", forKey: "name.first")
                #expect(saveError { try context.save() }?.issues.map(\.propertyName) == ["name"])
            }
        }
    }

    @Test func theValueStaysAsItIsSetAndRulesAreExact() async throws {
        try await withStore(Self.model()) { container, sql in
            try await container.perform { context in
                let user = Self.user("Ada", in: context)
                try context.save()
                user["login"] = "ADA"
                #expect(context.hasChanges)
                try context.save()
                #expect(try sql.rows("SELECT login FROM \"user\"") == [["ADA"]])
                // The pattern wants a capital letter.
                user["login"] = "ada"
                #expect(saveError { try context.save() }?.code == .validation)
            }
        }
    }

    @Test func valuesChangeHandsInOneSave() async throws {
        try await withStore(Self.model()) { container, sql in
            try await container.perform { context in
                let users = ["Ada", "Bob", "Cyd"].map { Self.user($0, in: context) }
                for (number, user) in users.enumerated() { (user["realm"], user["nick"]) = (1, "n\(number)") }
                try context.save()
                // A cycle in other cases, and one that only changes its own.
                (users[0]["login"], users[1]["login"]) = ("BOB", "ADA")
                users[2]["login"] = "CYD"
                (users[0]["nick"], users[1]["nick"], users[2]["nick"]) = ("N1", "N2", "N0")
                try context.save()
            }
            #expect(
                try sql.rows("SELECT login, nick FROM \"user\" ORDER BY _id")
                    == [["BOB", "N1"], ["ADA", "N2"], ["CYD", "N0"]])
        }
    }

    @Test func naturalKeysAreFoundInAnyCase() async throws {
        try await withStore(Self.model()) { container, _ in
            try await container.perform { context in
                let user = Self.user("Straße", in: context)
                #expect(try context.object("User", naturalKey: "STRASSE") === user)
                try context.save()
                context.reset()
                let found = try #require(try context.object("User", naturalKey: "strasse"))
                #expect(found["login"] as? String == "Straße")
                #expect(try context.object("User", naturalKey: "strase") == nil)
                found["login"] = "Weg"
                #expect(try context.object("User", naturalKey: "straße") == nil)
                #expect(try context.object("User", naturalKey: "WEG") === found)
            }
        }
    }
}
