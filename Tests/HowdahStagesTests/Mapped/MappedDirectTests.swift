import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Mappings that SQL does as a whole: pairs that ids say are not recorded, and references come with the rows.
@Suite(.needsSession) struct MappedDirectTests {
    private static func model(
        book: [PropertyDescription], _ others: EntityDescription...
    ) throws -> ManagedObjectModel {
        let name = PropertyDescription.attribute("name", .string, optional: false)
        return try ManagedObjectModel(
            entities: [
                EntityDescription(
                    "Shelf",
                    properties: [name, .relationship("books", to: "Book", inverse: "shelf", toMany: true)]),
                EntityDescription(
                    "Book",
                    properties: [name, .relationship("shelf", to: "Shelf", inverse: "books")] + book),
            ] + others)
    }

    private enum Before: VersionedSchema {
        static var model: ManagedObjectModel {
            get throws { try MappedDirectTests.model(book: [.attribute("note", .string)]) }
        }
    }

    private enum After: VersionedSchema {
        static var model: ManagedObjectModel {
            get throws {
                try MappedDirectTests.model(
                    book: [.relationship("remark", to: "Remark", inverse: "book", deleteRule: .cascade)],
                    EntityDescription(
                        "Remark",
                        properties: [
                            .attribute("text", .string, optional: false),
                            .relationship("book", to: "Book", inverse: "remark", optional: false),
                        ]))
            }
        }
    }

    /// What a case leaves out or adds.
    enum Variant: CaseIterable {
        case oneEnd, bothEnds, someShelves, someBooks
    }

    private static func mapping(_ variant: Variant) -> MappingModel {
        func made(_ name: String, _ key: String) -> MappingExpression {
            .destinationInstances(forEntityMappingNamed: name, sourceInstances: .source(key))
        }
        let itself = try? MappingExpression(
            format:
                "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'BookToBook', $source)"
        )
        return MappingModel(entityMappings: [
            EntityMapping(
                from: "Shelf", to: "Shelf",
                sourceFilter: variant == .someShelves ? .format("name != 'shelf 1'") : nil,
                attributeMappings: [PropertyMapping("name", .source("name"))],
                relationshipMappings: variant == .bothEnds
                    ? [PropertyMapping("books", made("BookToBook", "books"))] : []),
            EntityMapping(
                from: "Book", to: "Remark",
                sourceFilter: .format(
                    variant == .someBooks ? "note != nil AND name != 'book 3'" : "note != nil"),
                attributeMappings: [PropertyMapping("text", .source("note"))],
                relationshipMappings: [PropertyMapping("book", itself)]),
            EntityMapping(
                from: "Book", to: "Book",
                sourceFilter: variant == .someBooks ? .format("name != 'book 3'") : nil,
                attributeMappings: [PropertyMapping("name", .source("name"))],
                relationshipMappings: [PropertyMapping("shelf", made("ShelfToShelf", "shelf"))]),
        ])
    }

    @Test(arguments: Variant.allCases) func everyObjectHasWhatItHad(_ variant: Variant) async throws {
        let (old, new, mapping) = (try Before.model, try After.model, Self.mapping(variant))
        try await withTestDatabase(for: old) { database in
            let before = try await PersistentContainer.open(database.url, model: old)
            let expected = try await before.perform { context in
                let shelves = (0..<3).map { number in
                    let shelf = context.insert("Shelf")
                    shelf["name"] = "shelf \(number)"
                    return shelf
                }
                let books = (0..<12).map { number in
                    let book = context.insert("Book")
                    book["name"] = "book \(number)"
                    book["shelf"] = number % 4 == 3 ? nil : shelves[number % 4]
                    book["note"] = number % 3 == 0 ? "note \(number)" : nil
                    return book
                }
                try context.save()
                return books.enumerated().compactMap { number, book in
                    if variant == .someBooks, number == 3 { return nil as String? }
                    let isLeft = number % 4 == 3 || variant == .someShelves && number % 4 == 1
                    return "\(book.objectID.key) book \(number) \(isLeft ? "nil" : "shelf \(number % 4)") "
                        + (number % 3 == 0 ? "note \(number)" : "nil")
                }
            }
            await before.close()
            var options = StoreOptions()
            options.stagedMigrationManager = StagedMigrationManager([
                MigrationStage.mapped(from: Before.self, to: After.self, mapping: mapping)
            ])
            let after = try await PersistentContainer.open(database.url, model: new, options: options)
            let found = try await after.perform { context in
                try context.fetch("Book").map { book in
                    let (shelf, remark) = (book["shelf"] as? ManagedObject, book["remark"] as? ManagedObject)
                    return "\(book.objectID.key) \(book["name"] ?? "") \(shelf?["name"] ?? "nil") "
                        + "\(remark?["text"] ?? "nil")"
                }
            }
            await after.close()
            #expect(found.sorted() == expected.sorted())
        }
    }

    /// A row is written once, and nothing is recorded, where ids say what became of what.
    @Test(arguments: Variant.allCases) func rowsAreWrittenOnce(_ variant: Variant) throws {
        let (old, new) = (try Before.model, try After.model)
        let plan = try MappedMigrationStage(
            migratingFrom: ManagedObjectModelReference(versionChecksum: old.versionChecksum),
            to: ManagedObjectModelReference(versionChecksum: new.versionChecksum),
            mapping: Self.mapping(variant)
        ).plan(from: old, to: new)
        let statements = plan.steps.flatMap(\.statements)
        let updates = statements.count { $0.hasPrefix("UPDATE") }
        let records = statements.count { $0.hasPrefix("INSERT INTO \"public\".\"_howdah_association\"") }
        switch variant {
        case .oneEnd: #expect(updates == 0 && records == 0)
        // What is said of both ends is done in its order.
        case .bothEnds: #expect(updates == 2 && records == 0)
        case .someShelves: #expect(updates == 1 && records == 1)
        // Remarks lead to books that are there only if they are.
        case .someBooks: #expect(updates == 1 && records == 2)
        }
        // Keys are made of the rows, not row by row.
        let firstKey = statements.firstIndex { !$0.hasPrefix("CREATE") && $0.contains("PRIMARY KEY") }
        let lastRows = statements.lastIndex { $0.hasPrefix("INSERT INTO") }
        #expect(try #require(lastRows) < #require(firstKey))
    }
}
