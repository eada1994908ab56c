import HowdahModel
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// A save that deletes reports the objects at the other ends of all relationships of the deleted rows.
@Suite struct DeletedEndsTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Post",
                properties: [
                    .relationship("author", to: "Person", inverse: "posts"),
                    .relationship("tags", to: "Tag", inverse: "posts", toMany: true, ordered: true),
                    .relationship(
                        "comments", to: "Comment", inverse: "post", toMany: true, deleteRule: .cascade),
                    .relationship("likes", to: "Person", toMany: true),
                ]),
            EntityDescription(
                "Comment",
                properties: [
                    .relationship("post", to: "Post", inverse: "comments"),
                    .relationship("writer", to: "Person", inverse: "comments"),
                    .relationship("mentions", to: "Person", inverse: "mentioned", toMany: true),
                ]),
            EntityDescription(
                "Person",
                properties: [
                    .attribute("name", .string),
                    .relationship("posts", to: "Post", inverse: "author", toMany: true),
                    .relationship("comments", to: "Comment", inverse: "writer", toMany: true),
                    .relationship("mentioned", to: "Comment", inverse: "mentions", toMany: true),
                ]),
            EntityDescription("Editor", superentity: "Person"),
            EntityDescription(
                "Tag",
                properties: [.relationship("posts", to: "Post", inverse: "tags", toMany: true, ordered: true)]
            ),
            EntityDescription(
                "Note", properties: [.relationship("reader", to: "Reader", inverse: "notes")]),
            EntityDescription(
                "Reader", properties: [.relationship("notes", to: "Note", inverse: "reader", toMany: true)]),
        ])
    }

    private struct Keys {
        let (post, comment, tag, author, writer, mentioned, liker):
            (Int64, Int64, Int64, Int64, Int64, Int64, Int64)
    }

    private static func fill(_ container: PersistentContainer) async throws -> Keys {
        try await container.perform { context in
            let (post, comment, tag) = (
                context.insert("Post"), context.insert("Comment"), context.insert("Tag")
            )
            let people = ["Person", "Editor", "Person", "Editor"].map { context.insert($0) }
            (post["author"], comment["writer"], comment["post"]) = (people[0], people[1], post)
            post.orderedMembers(forKey: "tags").append(tag)
            comment.members(forKey: "mentions").insert(people[2])
            post.members(forKey: "likes").insert(people[3])
            try context.save()
            return Keys(
                post: post.key, comment: comment.key, tag: tag.key, author: people[0].key,
                writer: people[1].key, mentioned: people[2].key, liker: people[3].key)
        }
    }

    private enum Way: CaseIterable { case loaded, fault, batch }

    private static func delete(
        _ key: Int64, _ entity: String, _ way: Way, isNested: Bool, in container: PersistentContainer
    ) async throws {
        let id = ObjectID<ManagedObject>(
            storeIdentifier: container.storeIdentifier, entityName: entity, key: key)
        try await container.perform(isolation: isNested ? .readCommitted : nil) { context in
            switch way {
            case .loaded: context.delete(try context.existingObject(with: id))
            case .fault: context.delete(context.object(with: id))
            case .batch: try context.execute(BatchDeleteRequest(objectIDs: [id]))
            }
            try context.save()
        }
    }

    @Test(arguments: Way.allCases, [false, true])
    private func deletionReportsOtherEnds(way: Way, isNested: Bool) async throws {
        try await withHistory(Self.model()) { container, sql in
            let keys = try await Self.fill(container)
            let before = try sql.history().last?.number ?? 0
            try await Self.delete(keys.post, "Post", way, isNested: isNested, in: container)
            #expect(
                try Set(sql.history(after: before).map(\.description)) == [
                    "delete Post [\(keys.post)] *", "delete Comment [\(keys.comment)] *",
                    "update Tag [\(keys.tag)] posts", "update Person [\(keys.author)] posts",
                    "update Editor [\(keys.writer)] comments", "update Person [\(keys.mentioned)] mentioned",
                ])
        }
    }

    /// A relationship without an inverse changes with its destination.
    @Test(arguments: Way.allCases) private func deletionReportsLinksWithoutInverse(way: Way)
        async throws
    {
        try await withHistory(Self.model()) { container, sql in
            let keys = try await Self.fill(container)
            let before = try sql.history().last?.number ?? 0
            try await Self.delete(keys.liker, "Editor", way, isNested: false, in: container)
            #expect(
                try Set(sql.history(after: before).map(\.description)) == [
                    "delete Editor [\(keys.liker)] *", "update Post [\(keys.post)] likes",
                ])
        }
    }

    /// The owner of a link may be deleted by a transaction that comes first. Its deletion is its last change.
    @Test func deletedOwnersOfLinksHaveNoLaterChange() async throws {
        try await withHistory(Self.model()) { container, sql in
            let keys = try await Self.fill(container)
            let before = try sql.history().last?.number ?? 0
            try await sql.committing("DELETE FROM post WHERE _id = \(keys.post)") {
                try await Self.delete(keys.liker, "Editor", .batch, isNested: false, in: container)
            }
            #expect(try sql.history(after: before).map(\.description) == ["delete Editor [\(keys.liker)] *"])
        }
    }

    /// A deletion of a loaded object that reaches no other rows stays one statement; a fault's owner must be read.
    @Test func loneDeletionReportsOwner() async throws {
        try await withHistory(Self.model()) { container, sql in
            let (reader, ids) = try await container.perform { context in
                let reader = context.insert("Reader")
                let notes = (0..<2).map { _ in
                    let note = context.insert("Note")
                    note["reader"] = reader
                    return note
                }
                try context.save()
                return (reader.key, notes.map { $0.objectID as ObjectID<ManagedObject> })
            }
            let before = try sql.history().last?.number ?? 0
            try await container.perform { context in
                context.delete(try context.existingObject(with: ids[0]))
                container.statementLog.start()
                try context.save()
                #expect(container.statementLog.events.count == 1)
                context.delete(context.object(with: ids[1]))
                try context.save()
            }
            #expect(
                try sql.history(after: before).map(\.description).sorted() == [
                    "delete Note [\(ids[0].key)] *", "delete Note [\(ids[1].key)] *",
                    "update Reader [\(reader)] notes", "update Reader [\(reader)] notes",
                ])
        }
    }

    /// A new object that a cascade of the same save takes never was a row, whatever it is linked with.
    @Test func droppedObjectsHaveNoHistory() async throws {
        try await withHistory(Self.model()) { container, sql in
            let keys = try await Self.fill(container)
            let before = try sql.history().last?.number ?? 0
            try await container.perform { context in
                func object(_ entity: String, _ key: Int64) throws -> ManagedObject {
                    try context.existingObject(
                        with: ObjectID<ManagedObject>(
                            storeIdentifier: container.storeIdentifier, entityName: entity, key: key))
                }
                let post = try object("Post", keys.post)
                let comment = context.insert("Comment")
                comment["post"] = post
                comment["writer"] = try object("Person", keys.author)
                comment.members(forKey: "mentions").insert(try object("Person", keys.author))
                comment.members(forKey: "mentions").insert(context.insert("Person"))
                context.delete(post)
                try context.save()
            }
            let changes = try sql.history(after: before)
            let ofComments = changes.filter { $0.entity == "Comment" }.map(\.description)
            #expect(ofComments == ["delete Comment [\(keys.comment)] *"])
            #expect(!changes.contains { $0.description.contains("[\(keys.author)] comments") })
            #expect(!changes.contains { $0.description.contains("[\(keys.author)] mentioned") })
            #expect(changes.contains { $0.description.hasPrefix("insert Person") })
        }
    }

    /// A link that another session adds while the save waits for the row is reported, too.
    @Test func deletionReportsLinksOfOtherSessions() async throws {
        try await withHistory(Self.model()) { container, sql in
            let keys = try await Self.fill(container)
            let other = try await container.perform { context in
                let tag = context.insert("Tag")
                try context.save()
                return tag.key
            }
            let before = try sql.history().last?.number ?? 0
            let schema = try StoreSchema(Self.model(), schemaName: "public")
            guard case .join(let join)? = schema.entities["Post"]?.property(named: "tags")?.mapping else {
                Issue.record("tags have no table")
                return
            }
            try await sql.committing(
                "INSERT INTO \(join.joinTable) SELECT (jsonb_populate_record(j, to_jsonb(j) || "
                    + "'{\"\(join.otherColumn)\": \(other)}')).* FROM \(join.joinTable) j"
            ) {
                try await Self.delete(keys.post, "Post", .loaded, isNested: false, in: container)
            }
            let tags = try sql.history(after: before).filter { $0.entity == "Tag" }.flatMap(\.ids)
            #expect(tags.sorted() == [keys.tag, other].sorted())
        }
    }
}
