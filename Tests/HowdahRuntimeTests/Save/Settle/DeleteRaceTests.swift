import Howdah
import HowdahModel
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// Another session adds to what is being deleted, at the worst moment: neither an orphan nor a lost object comes of it,
/// whatever the rule.
@Suite(.timeLimit(.minutes(60))) struct DeleteRaceTests {
    private static let shapes: [RuleShape] = [.toMany, .toManyRequired, .manyToMany, .tree]
    private static let rules: [DeleteRule] = [.nullify, .cascade, .deny]

    /// The other session has inserted and not committed yet: the deletion waits for it, then follows the rule to it.
    @Test func whatIsInsertedBeforeIsReached() async throws {
        try await withRaces { store in
            let (shape, rule) = (store.shape, store.rule)
            let comment = Comment(rawValue: "\(shape) \(rule.rawValue)")
            let ids = try await store.fill()
            let owner = try #require(ids[shape.isOfOneEntity ? "n3" : "o3"])
            let other = try RuleSession(store.url)
            try other.run("BEGIN")
            let added = try store.insertMember(of: owner, by: other)
            let container = store.container
            let deletion = Task {
                try await container.perform { context in
                    context.delete(context.object(with: owner))
                    return saveError { try context.save() }?.code
                }
            }
            try await store.sql.untilBlocked()
            try other.run("COMMIT")
            let code = try await deletion.value
            let version = try store.version(of: added)
            switch rule {
            case .cascade: #expect(code == nil && version == nil, comment)
            case .deny: #expect(code == .referentialIntegrity && version == 1, comment)
            default:
                #expect(code == (shape.itemRequires ? .validation : nil), comment)
                #expect(version == (shape.place == .item && code == nil ? 2 : 1), comment)
            }
            #expect(try store.orphans() == 0, comment)
        }
    }

    /// The deletion is done and not committed yet: the other session waits for it, and is refused.
    @Test func whatIsInsertedAfterIsRefused() async throws {
        try await withRaces { store in
            let comment = Comment(rawValue: "\(store.shape) \(store.rule.rawValue)")
            let ids = try await store.fill()
            let owner = try #require(ids[store.shape.isOfOneEntity ? "n4" : "o3"])
            let (isDone, mayEnd) = (Latch(), Latch())
            let container = store.container
            let deletion = Task {
                try await container.perform(isolation: .readCommitted) { context in
                    defer { isDone.open() }
                    context.delete(context.object(with: owner))
                    try context.save()
                    isDone.open()
                    mayEnd.wait()
                }
            }
            await onThread { isDone.wait() }
            let insertion = Task {
                try await onThread { () -> String? in
                    do {
                        let other = try RuleSession(store.url)
                        _ = try store.insertMember(of: owner, by: other)
                        return nil
                    } catch let error as PostgresError {
                        return error.sqlState
                    }
                }
            }
            try await store.sql.untilBlocked()
            mayEnd.open()
            try await deletion.value
            #expect(try await insertion.value == "23503", comment)
            #expect(try store.orphans() == 0, comment)
        }
    }

    /// What goes only by an unsaved reference is locked before its own members are looked for: the one that comes
    /// meanwhile is nullified by the save, with its version, and not by the foreign key behind its back.
    @Test func membersOfWhatGoesByAnUnsavedReferenceAreReached() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Plane",
                properties: [
                    .relationship("parts", to: "Part", inverse: "plane", toMany: true, deleteRule: .cascade)
                ]),
            EntityDescription(
                "Part",
                properties: [
                    .relationship("plane", to: "Plane", inverse: "parts"),
                    .relationship("bolts", to: "Bolt", inverse: "part", toMany: true),
                ]),
            EntityDescription("Bolt", properties: [.relationship("part", to: "Part", inverse: "bolts")]),
        ])
        try await withStore(model) { container, plain in
            let (plane, part) = try await container.perform { context in
                let (plane, part) = (context.insert("Plane"), context.insert("Part"))
                try context.save()
                return (plane.objectID, part.objectID)
            }
            let (other, sql) = (try RuleSession(plain.url), try RuleSession(plain.url))
            try other.run("BEGIN")
            try other.run("INSERT INTO bolt (part) VALUES ($1)", part.key)
            let deletion = Task {
                try await container.perform { context in
                    let plane = try context.existingObject(with: plane)
                    try context.existingObject(with: part)["plane"] = plane
                    context.delete(plane)
                    try context.save()
                }
            }
            try await sql.untilBlocked()
            try other.run("COMMIT")
            try await deletion.value
            #expect(try sql.run("SELECT _version, part FROM bolt") == [[2, nil]])
            #expect(try sql.run("SELECT count(*) FROM part") == [[0]])
        }
    }

    nonisolated(nonsending)
        private func withRaces(
            _ body: (RuleStore) async throws -> Void
        ) async throws
    {
        let model = try RuleShape.model(triggers: true)
        try await withStore(model) { container, plain in
            let (sql, schema) = (try RuleSession(plain.url), try StoreSchema(model))
            for shape in Self.shapes {
                for rule in Self.rules {
                    try await body(
                        RuleStore(
                            shape: shape, rule: rule, container: container, sql: sql, url: plain.url,
                            schema: schema, tag: ""))
                }
            }
        }
    }
}
