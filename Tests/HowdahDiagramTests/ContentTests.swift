import HowdahModel
import Testing

@testable import HowdahDiagram

@Suite struct ContentTests {
    private static func row(_ row: BoxRow) -> String {
        String(repeating: "  ", count: row.depth) + row.name + (row.type.isEmpty ? "" : ": " + row.type)
            + row.marks.map { " (\($0))" }.joined()
    }

    @Test func caseInsensitiveStringsAreMarked() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "User", properties: [.attribute("name", .string, caseInsensitive: true)],
                uniquenessConstraints: [["name"]])
        ])
        #expect(
            DiagramContent(model).boxes[0].rows.map(Self.row) == ["name: String? (unique) (case-insensitive)"]
        )
    }

    @Test func boxesListOwnProperties() throws {
        let content = DiagramContent(try SampleModels.everything())
        #expect(
            content.boxes[0].rows.map(Self.row) == [
                "name: String (unique)", "home: Address?", "  street: String?", "  place: Place",
                "    latitude: Double", "label: String? (transient)", "code: Int32?", "name, code (unique)",
                "boss: Person?", "reports: [Person] (deny)", "friends: [Person]", "inverse of itself",
            ])
        #expect(content.boxes[0].isAbstract)
        #expect(
            content.boxes[2].rows.map(Self.row) == [
                "code (unique)", "reading: Book? (no action)", "shelf: [Book]",
            ])
        #expect(
            content.boxes[3].rows.map(Self.row) == [
                "isbn: UUID?", "author: Writer", "editor: Writer?", "Reader.reading", "Reader.shelf",
            ])
    }

    @Test func everyPairIsOneLine() throws {
        let content = DiagramContent(try SampleModels.everything())
        #expect(
            content.connections.map(\.summary) == [
                "Writer is a Person", "Reader is a Person",
                "Person.boss: 0..1 Person, nullify on delete; Person.reports: * Person, deny on delete",
                "Person.friends: * Person, nullify on delete, its own inverse",
                "Writer.books: * ordered Book, cascade on delete; Book.author: 1 Writer, nullify on delete",
                "Writer.edited: * Book, nullify on delete; Book.editor: 0..1 Writer, nullify on delete",
                "Reader.reading: 0..1 Book, no action on delete, no inverse",
                "Reader.shelf: 1..5 Book, nullify on delete, no inverse",
            ])
        let books = content.connections[4]
        #expect(books.from == .init(box: 1, row: 0, cardinality: "1", cascades: true))
        #expect(books.to == .init(box: 3, row: 1, cardinality: "* ordered", cascades: false))
        #expect(content.connections[6].kind == .oneWay)
        #expect(content.connections[6].to == .init(box: 3, row: 3, cardinality: "0..1"))
    }

    @Test func anInverseOfASuperentityIsItsRow() throws {
        let content = DiagramContent(
            try ManagedObjectModel(entities: [
                EntityDescription(
                    "Base", properties: [.relationship("notes", to: "Note", inverse: "post", toMany: true)]),
                EntityDescription("Post", superentity: "Base"),
                EntityDescription("Note", properties: [.relationship("post", to: "Base", inverse: "notes")]),
            ]))
        #expect(content.connections.map(\.kind) == [.inheritance, .relationship])
        #expect(content.connections[1].from.box == 0)
        #expect(content.connections[1].to.box == 2)
    }
}
