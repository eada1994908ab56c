import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

/// The body of a request changes no object that it did not name in full, and none of an entity that it may not have.
@Suite struct GraphRequestTests {
    private static func read(
        _ json: String, as entity: String, _ keyPaths: [String]?, _ context: ManagedObjectContext
    ) throws -> [ManagedObject] {
        guard let keyPaths else { return try context.importGraph(Data(json.utf8), as: entity) }
        return try context.importGraph(Data(json.utf8), as: entity, keyPaths: keyPaths)
    }

    private func withForum(
        _ body: @escaping @Sendable (ManagedObjectContext, PlainSQL) throws -> Void
    ) async throws {
        try await withStore(Forum.model()) { container, sql in
            try await container.importLines(Forum.lines)
            try await container.perform { try body($0, sql) }
        }
    }

    /// A default value completes no key: the object is a new one, and the save finds that its key is taken.
    @Test(arguments: [
        ("Page", ["text"], #"{"text":"hacked"}"#),
        ("Page", ["*"], #"{"text":"hacked"}"#),
        ("Post", ["number", "text"], #"{"number":1,"text":"hacked"}"#),
    ])
    func aDefaultValueCompletesNoKey(entity: String, keyPaths: [String], json: String) async throws {
        try await withForum { context, sql in
            let objects = try Self.read(json, as: entity, keyPaths, context)
            #expect(objects.map(\.isInserted) == [true])
            #expect(context.updatedObjects.isEmpty)
            let error = try #require(saveError { try context.save() })
            #expect(error.code == .uniqueness, "\(error)")
            context.rollback()
            #expect(try sql.value("SELECT text FROM page") == "Welcome")
            #expect(try sql.value("SELECT text FROM post") == "First")
        }
    }

    /// Two objects of a request are not one because both leave out the same member.
    @Test func objectsWithoutTheirKeyAreDistinct() async throws {
        try await withForum { context, _ in
            let objects = try Self.read(
                #"[{"number":7,"text":"a"},{"number":7,"text":"b"}]"#, as: "Post", ["number", "text"], context
            )
            #expect(objects.count == 2 && objects[0] !== objects[1])
        }
    }

    @Test func aKeyInTheDocumentFindsItsObject() async throws {
        try await withForum { context, sql in
            let page = try Self.read(
                #"{"slug":"home","text":"new"}"#, as: "Page", ["slug", "text"], context)
            #expect(page.map(\.isInserted) == [false])
            try context.save()
            #expect(try sql.value("SELECT text FROM page") == "new")
            // A document that is trusted may leave out what is the default.
            let trusted = try Self.read(#"{"text":"newer"}"#, as: "Page", nil, context)
            #expect(trusted.first === page.first)
        }
    }

    /// An object of a subentity is found by its key, and no key path permits it.
    @Test(arguments: [
        ("User", ["email", "name"], #"{"email":"root@x","name":"hacked"}"#, ""),
        ("User", ["email", "name"], #"[{"email":"ada@x"},{"email":"root@x","name":"hacked"}]"#, "[1]"),
        (
            "Post", ["number", "author.email", "author.name"],
            #"{"number":2,"author":{"email":"root@x","name":"hacked"}}"#, "author"
        ),
        (
            "Post", ["@entity", "number", "author.email", "author.name"],
            #"{"number":2,"author":{"email":"root@x","name":"hacked"}}"#, "author"
        ),
    ])
    func subentitiesNeedAKeyPath(entity: String, keyPaths: [String], json: String, place: String) async throws
    {
        try await withForum { context, _ in
            let error = try #require(throws: GraphError.self) {
                try Self.read(json, as: entity, keyPaths, context)
            }
            #expect(error.code == .notInKeyPaths && error.path == place, "\(error)")
            #expect(error.message.contains("an Admin") && error.message.contains("@entity"), "\(error)")
            #expect(!context.hasChanges)
        }
    }

    @Test func subentitiesArePermittedByAKeyPath() async throws {
        try await withForum { context, sql in
            _ = try Self.read(
                #"{"email":"root@x","name":"Boss"}"#, as: "User", ["@entity", "email", "name"], context)
            _ = try Self.read(
                #"{"number":2,"author":{"@entity":"Admin","@ref":{"email":"root@x"}}}"#, as: "Post",
                ["number", "author.@entity"], context)
            // A reference that names no entity changes nothing, and leads to whatever has the key.
            _ = try Self.read(
                #"{"number":3,"author":{"@ref":{"email":"root@x"}}}"#, as: "Post", ["number", "author"],
                context)
            try context.save()
            #expect(
                try sql.value(
                    "SELECT count(*)::text FROM post p JOIN \"user\" u ON u._id = p.author WHERE u.name = 'Boss'"
                )
                    == "2")
        }
    }

    /// A reference leads to an object of the entity that it names, and a request names only what it may.
    @Test(arguments: [
        (
            nil as [String]?, #"{"number":2,"author":{"@entity":"Admin","@ref":{"email":"ada@x"}}}"#,
            "invalidEntity", "author"
        ),
        (
            ["number", "author.@entity"],
            #"{"number":2,"author":{"@entity":"Admin","@ref":{"email":"ada@x"}}}"#, "invalidEntity", "author"
        ),
        (
            ["number", "author"], #"{"number":2,"author":{"@entity":"Admin","@ref":{"email":"root@x"}}}"#,
            "notInKeyPaths", "author['@entity']"
        ),
        (
            ["number", "author.@entity"], #"{"number":2,"author":{"@entity":"Admin","email":"new@x"}}"#,
            "notInKeyPaths", "author"
        ),
        (
            nil,
            #"{"number":2,"author":{"@id":"u","email":"u@x","posts":[{"number":3,"author":{"@entity":"Admin","@ref":"u"}}]}}"#,
            "invalidEntity", "author.posts[0].author"
        ),
        (
            nil, #"{"number":2,"author":{"@entity":"Page","@ref":"u"}}"#, "invalidEntity",
            "author['@entity']"
        ),
    ])
    func referencesLeadToTheirEntity(
        keyPaths: [String]?, json: String, code: String, place: String
    ) async throws {
        try await withForum { context, _ in
            let error = try #require(throws: GraphError.self) {
                try Self.read(json, as: "Post", keyPaths, context)
            }
            #expect(error.code.description == code, "\(error)")
            #expect(Self.plain(error.path) == Self.plain(place), "\(error)")
            #expect(!context.hasChanges)
        }
    }

    /// Lines meet the same rule where the reference waits for a later line.
    @Test func linesLeadToTheirEntity() async throws {
        try await withStore(Forum.model()) { container, sql in
            let author = #"{"@entity":"Admin","@ref":{"email":"eve@x"}}"#
            let lines = """
                {"@entity":"Post","number":5,"author":\(author)}
                {"@entity":"User","email":"eve@x"}

                """
            let error = await #expect(throws: GraphError.self) { try await container.importLines(lines) }
            #expect(error?.code == .invalidEntity && error?.line == 1, "\(String(describing: error))")
            let pages = (0..<500).map { #"{"@entity":"Page","slug":"\#($0)"}"# }
            let parts = lines.split(separator: "\n").map(String.init)
            let late = ([parts[0]] + pages + [parts[1]]).joined(separator: "\n")
            let later = await #expect(throws: GraphError.self) { try await container.importLines(late) }
            #expect(later?.code == .invalidEntity && later?.line == 1, "\(String(describing: later))")
            let count = try sql.value("SELECT count(*)::text FROM \"user\"")
            #expect(count == "0")
        }
    }

    /// Two spellings of one name are one name: the second would be taken in place of the first.
    @Test(arguments: [
        ("User", "{\"email\":\"k@x\",\"isKing\":false,\"is\u{212A}ing\":true}", "is\u{212A}ing"),
        (
            "Post", "{\"number\":2,\"author\":{\"email\":\"k@x\",\"is\u{212A}ing\":true,\"isKing\":false}}",
            "author.isKing"
        ),
        (
            "Post", "{\"number\":2,\"author\":{\"email\":\"k@x\",\"is\\u212Aing\":true,\"isKing\":false}}",
            "author.isKing"
        ),
    ])
    func equivalentNamesComeTwice(entity: String, json: String, place: String) async throws {
        try await withForum { context, _ in
            for keyPaths in [nil, ["*", "author.*"].filter { entity == "Post" || $0 == "*" }] {
                let error = try #require(throws: GraphError.self) {
                    try Self.read(json, as: entity, keyPaths, context)
                }
                #expect(error.code == .invalidJSON && error.path == place, "\(error)")
                #expect(!context.hasChanges)
            }
        }
    }

    /// What an import cannot write is no key path of one, whatever the document says.
    @Test(arguments: [
        ("User", "memory"), ("User", "loud"), ("Post", "author.memory"), ("Post", "author.loud"),
    ])
    func attributesThatAreNotWrittenAreNoKeyPaths(entity: String, path: String) async throws {
        try await withForum { context, _ in
            let error = try #require(throws: GraphError.self) {
                try Self.read("[]", as: entity, ["*", path], context)
            }
            #expect(error.code == .invalidKeyPath && error.message.contains(path), "\(error)")
            #expect(error.propertyName == path.split(separator: ".").last.map(String.init))
            // An answer to a client comes back with what the store computed.
            _ = try Self.read(#"{"email":"l@x","loud":"L"}"#, as: "User", ["*"], context)
        }
    }

    /// Paths may write members with or without quotes.
    private static func plain(_ path: String) -> String {
        path.replacing(/[\[\]"'.]/, with: " ").split(separator: " ").joined(separator: ".")
    }
}
