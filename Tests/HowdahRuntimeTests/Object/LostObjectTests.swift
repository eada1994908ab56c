import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// An object that a save, a merge or another user took away can still be in a program's hands: changing it fails the
/// unit of work, and never the process.
@Suite(.timeLimit(.minutes(60))) struct LostObjectTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Tag",
                properties: [
                    .attribute("name", .string, optional: false),
                    .attribute("uses", .integer64, optional: false, default: .int(0)),
                ], uniquenessConstraints: [["name"]]),
            EntityDescription(
                "Note", properties: [.attribute("text", .string), .relationship("tag", to: "Tag")]),
        ])
    }

    /// Runs `body`, which must come to its end, and returns what `perform` throws.
    private static func failure(
        _ mergePolicy: @escaping @Sendable () -> MergePolicy = { .error },
        _ body: @escaping @Sendable (ManagedObjectContext, PlainSQL) throws -> Void
    ) async throws -> FetchError? {
        try await withStore(model()) { container, sql in
            _ = try sql.rows("INSERT INTO tag (_id, _version, name, uses) VALUES (7000, 1, 'old', 1)")
            let reachedItsEnd = Shared(false)
            var failure: FetchError?
            do {
                try await container.perform { context in
                    context.mergePolicy = mergePolicy()
                    try body(context, sql)
                    reachedItsEnd.withLock { $0 = true }
                }
            } catch let error as FetchError {
                failure = error
            }
            #expect(reachedItsEnd.value)
            return failure
        }
    }

    @Test(arguments: [false, true])
    func changingWhatAnotherUserDeleted(byRollback isRollback: Bool) async throws {
        let error = try await Self.failure({ isRollback ? .rollback : .mergeByPropertyStoreTrump }) {
            context, sql in
            let tag = try #require(try context.fetch(FetchRequest<ManagedObject>(entityName: "Tag")).first)
            tag["uses"] = 2
            _ = try sql.rows("DELETE FROM tag")
            try context.save()
            tag["uses"] = 3
            // What stands for nobody takes no more part in anything.
            context.delete(tag)
        }
        #expect(error?.code == .objectNotFound, "\(String(describing: error))")
    }

    @Test func afterADeletionAndASave() async throws {
        let error = try await Self.failure { context, _ in
            let tag = try #require(try context.fetch(FetchRequest<ManagedObject>(entityName: "Tag")).first)
            context.delete(tag)
            try context.save()
            #expect(tag["name"] as? String == "old")
            tag["uses"] = 3
        }
        #expect(error?.code == .objectNotFound)
        #expect(error?.message.contains("had deleted it") == true)
    }

    @Test func theNextFetchAndSaveThrowIt() async throws {
        _ = try await Self.failure { context, _ in
            let tag = try #require(try context.fetch(FetchRequest<ManagedObject>(entityName: "Tag")).first)
            context.delete(tag)
            try context.save()
            tag["uses"] = 3
            #expect(throws: FetchError.self) {
                try context.fetch(FetchRequest<ManagedObject>(entityName: "Tag"))
            }
            #expect(throws: FetchError.self) { try context.save() }
            context.clearFailure()
            #expect(try context.fetch(FetchRequest<ManagedObject>(entityName: "Tag")).isEmpty)
        }
    }

    @Test func aListOfAnObjectThatARollbackTook() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Tag",
                properties: [
                    .attribute("name", .string),
                    .relationship("items", to: "Note", inverse: "tag", toMany: true, ordered: true),
                ]),
            EntityDescription("Note", properties: [.relationship("tag", to: "Tag", inverse: "items")]),
        ])
        try await withStore(model) { container, _ in
            for isReset in [false, true] {
                let error = await #expect(throws: FetchError.self) {
                    try await container.perform { context in
                        let tag = context.insert("Tag")
                        let items = tag.orderedMembers(forKey: "items")
                        items.append(context.insert("Note"))
                        if isReset { context.reset() } else { context.rollback() }
                        #expect(items[0].isFault)
                        items.insert(context.insert("Note"), at: 1)
                        tag["name"] = "x"
                    }
                }
                #expect(error?.code == .objectNotFound)
            }
        }
    }

    /// Names and values that are data.
    @Test(arguments: [
        "name of nothing", "path of nothing", "a value of another type", "nil", "an entity of nothing",
        "a foreign id",
        "members of nothing", "an object of another entity",
    ])
    func whatARequestCanSay(_ what: String) async throws {
        let error = try await Self.failure { context, _ in
            let tag = try #require(try context.fetch(FetchRequest<ManagedObject>(entityName: "Tag")).first)
            let note = context.insert("Note")
            switch what {
            case "name of nothing": tag["nmae"] = "x"
            case "path of nothing": _ = tag.value(forKeyPath: "name.lenght")
            case "a value of another type": tag["uses"] = "many"
            case "nil": tag.setValue(Data(), forKey: "name")
            case "an entity of nothing":
                let object = context.insert("Nope")
                object["name"] = "x"
                #expect(!context.insertedObjects.contains(object))
            case "a foreign id":
                let id = try #require(
                    ObjectID<ManagedObject>(
                        uriRepresentation: URL(
                            string: tag.objectID.uriRepresentation.absoluteString.replacingOccurrences(
                                of: "Tag", with: "Gat"))!))
                _ = context.object(with: id)["name"]
            case "members of nothing":
                #expect(tag.members(forKey: "notes").count == 0)
                tag.members(forKey: "notes").insert(note)
                #expect(tag.orderedMembers(forKey: "notes").isEmpty)
            default: note["tag"] = note
            }
        }
        #expect(error != nil)
        #expect(error?.code != .database, "\(String(describing: error))")
    }

    /// A refused nil must not make a required attribute count as set.
    @Test func aRefusedNilIsNotStored() async throws {
        try await withStore(Company.model()) { container, sql in
            let error = await #expect(throws: SaveError.self) {
                try await container.perform { context in
                    let employee = Employee(context: context)
                    #expect(throws: FetchError.self) { try employee.set("firstName", to: nil) }
                    #expect(employee.changedPropertyNames.isEmpty)
                    try context.save()
                }
            }
            #expect(error?.code == .validation)
            let count = try sql.value("SELECT count(*)::text FROM employee")
            #expect(count == "0")
        }
    }

    @Test func theThrowingTwinsThrowAtOnce() async throws {
        _ = try await Self.failure { context, _ in
            let tag = try #require(try context.fetch(FetchRequest<ManagedObject>(entityName: "Tag")).first)
            #expect(throws: FetchError.self) { try tag.set("nmae", to: "x") }
            #expect(throws: FetchError.self) { try tag.set("uses", to: "many") }
            #expect(throws: FetchError.self) { try tag.get("nmae") }
            #expect(throws: FetchError.self) { try context.insertObject(ofEntity: "Nope") }
            try tag.set("uses", to: 4)
            #expect(try tag.get("uses") as? Int64 == 4)
            try context.save()
        }
    }

    /// A list that cannot be loaded has no members, so that positions which were right before are out of its range.
    @Test func slicesOfAListThatCannotBeLoaded() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Album",
                properties: [
                    .attribute("title", .string),
                    .relationship("songs", to: "Song", inverse: "album", toMany: true, ordered: true),
                ]),
            EntityDescription(
                "Song",
                properties: [
                    .attribute("title", .string), .relationship("album", to: "Album", inverse: "songs"),
                ]),
        ])
        try await withStore(model) { container, sql in
            let reachedItsEnd = Shared(false)
            await #expect(throws: FetchError.self) {
                try await container.perform { context in
                    let album = context.insert("Album")
                    for _ in 0..<3 { album.orderedMembers(forKey: "songs").append(context.insert("Song")) }
                    try context.save()
                    let songs = album.orderedMembers(forKey: "songs")
                    #expect(
                        songs[0..<2].count == 2 && songs[1...].count == 2 && Array(songs[1...]).count == 2)
                    context.refresh(album)
                    try sql.rows("ALTER TABLE song RENAME TO gone")
                    #expect(Array(songs[0..<3]).count == 3 && songs[1...].isEmpty && songs[...].isEmpty)
                    #expect(songs.prefix(2).isEmpty && songs.dropFirst().isEmpty)
                    reachedItsEnd.withLock { $0 = true }
                }
            }
            #expect(reachedItsEnd.value)
        }
    }
}
