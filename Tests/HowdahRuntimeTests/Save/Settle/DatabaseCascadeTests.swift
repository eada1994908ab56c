import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// A cascade that foreign keys carry alone is left to them if no listener asks for its rows.
@Suite struct DatabaseCascadeTests {
    private static func model(_ extra: [PropertyDescription] = []) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Order",
                properties: [
                    .attribute("name", .string),
                    .relationship("lines", to: "Line", inverse: "order", toMany: true, deleteRule: .cascade),
                ]),
            EntityDescription(
                "Line",
                properties: [
                    .attribute("name", .string), .relationship("order", to: "Order", inverse: "lines"),
                    .relationship("notes", to: "Note", inverse: "line", toMany: true, deleteRule: .cascade),
                ]),
            EntityDescription(
                "Note",
                properties: [
                    .attribute("name", .string), .relationship("line", to: "Line", inverse: "notes"),
                    .relationship("tags", to: "Tag", inverse: "notes", toMany: true),
                ] + extra),
            EntityDescription(
                "Tag",
                properties: [
                    .attribute("name", .string),
                    .relationship("notes", to: "Note", inverse: "tags", toMany: true),
                ]),
        ])
    }

    private static func populate(_ container: PersistentContainer) async throws {
        try await container.perform { context in
            let tag = context.insert("Tag")
            for place in 0..<4 {
                let order = context.insert("Order")
                order["name"] = "\(place)"
                for _ in 0..<3 {
                    let (line, note) = (context.insert("Line"), context.insert("Note"))
                    (line["order"], note["line"]) = (order, line)
                    note.members(forKey: "tags").insert(tag)
                }
            }
            try context.save()
        }
    }

    /// Deletes one order, and returns the statements that read or delete other rows than its own.
    private static func delete(
        _ name: String, _ container: PersistentContainer,
        after prepare: @escaping @Sendable (ManagedObject, ManagedObjectContext) throws -> Void = { _, _ in }
    ) async throws -> [String] {
        container.statementLog.start()
        defer { container.statementLog.stop() }
        try await container.perform { context in
            let order = try #require(try context.fetch("Order", matching: .format("name == %@", name)).first)
            try prepare(order, context)
            context.delete(order)
            try context.save()
        }
        return container.statementLog.statements.map(\.sql).filter {
            $0.contains("\"line\"") || $0.contains("\"note\"")
        }
    }

    private static func counts(_ sql: PlainSQL) throws -> [String?] {
        try sql.rows(
            "SELECT (SELECT count(*) FROM line)::text, (SELECT count(*) FROM note)::text, (SELECT count(*) FROM tag)::text"
        )[0]
    }

    @Test func rowsThatNobodyAsksForAreNotRead() async throws {
        try await withStore(Self.model()) { container, sql in
            try await Self.populate(container)
            #expect(try await Self.delete("0", container) == [])
            #expect(try Self.counts(sql) == ["9", "9", "1"])
        }
    }

    /// Objects that are registered, or belong to new ones, are deleted as ever.
    @Test func registeredRowsAreFollowed() async throws {
        try await withStore(Self.model()) { container, sql in
            try await Self.populate(container)
            let statements = try await Self.delete("0", container) { order, context in
                _ = try #require(try context.fetch("Note").first)
                let line = context.insert("Line")
                line["order"] = order
            }
            #expect(!statements.isEmpty)
            #expect(try Self.counts(sql) == ["9", "9", "1"])
            // A new line of the order goes, too, if the rows are left to the database.
            _ = try await Self.delete("1", container) { order, context in
                context.insert("Line")["order"] = order
            }
            #expect(try Self.counts(sql) == ["6", "6", "1"])
        }
    }

    @Test func listenersAreToldOfAllRows() async throws {
        try await withStore(Self.model()) { container, sql in
            try await Self.populate(container)
            let saves = container.saves
            #expect(try await Self.delete("0", container) != [])
            for await notice in saves {
                #expect(notice.deletedObjectIDs.count == 7)
                break
            }
            #expect(try Self.counts(sql) == ["9", "9", "1"])
        }
    }

    /// Something else follows from the deletion of a note.
    @Test(arguments: [
        PropertyDescription.relationship("parent", to: "Note", inverse: "parts"),
        .relationship("owner", to: "Tag", deleteRule: .cascade),
    ])
    func otherRulesAreFollowed(property: PropertyDescription) async throws {
        var extra = [property]
        if property.name == "parent" {
            extra.append(
                .relationship("parts", to: "Note", inverse: "parent", toMany: true, deleteRule: .deny))
        }
        try await withStore(Self.model(extra)) { container, sql in
            try await Self.populate(container)
            #expect(try await Self.delete("0", container) != [])
            #expect(try Self.counts(sql) == ["9", "9", "1"])
        }
    }

    /// A row that a cascade deletes does not keep what it leads to from being deleted in the same save.
    @Test(arguments: [false, true]) func aRuleThatDeniesKnowsWhatGoes(isReversed: Bool) async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Package",
                properties: [
                    .attribute("name", .string),
                    .relationship(
                        "dependencies", to: "Dependency", inverse: "package", toMany: true,
                        deleteRule: .cascade),
                    .relationship(
                        "dependents", to: "Dependency", inverse: "target", toMany: true, deleteRule: .deny),
                ]),
            EntityDescription(
                "Dependency",
                properties: [
                    .relationship("package", to: "Package", inverse: "dependencies", optional: false),
                    .relationship("target", to: "Package", inverse: "dependents", optional: false),
                ]),
        ])
        try await withTestStore(model) { container in
            try await container.perform { context in
                let (editor, library) = (context.insert("Package"), context.insert("Package"))
                (editor["name"], library["name"]) = ("editor", "library")
                let dependency = context.insert("Dependency")
                (dependency["package"], dependency["target"]) = (editor, library)
                try context.save()
            }
            try await container.perform { context in
                let packages = try context.fetch("Package", sortedBy: .key("name"))
                context.delete(packages[1])
                let error = #expect(throws: SaveError.self) { try context.save() }
                #expect(error?.code == .referentialIntegrity)
                context.rollback()
                for package in isReversed ? packages.reversed() : packages { context.delete(package) }
                try context.save()
                #expect(try context.fetch("Package").isEmpty && context.fetch("Dependency").isEmpty)
            }
        }
    }
}
