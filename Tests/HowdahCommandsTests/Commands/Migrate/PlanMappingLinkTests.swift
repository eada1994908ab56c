import Foundation
import HowdahTesting
import Testing

/// What becomes of links where one of their ends is named.
@Suite struct PlanMappingLinkTests {
    private static func attribute(_ name: String) -> String { MigrationFolder.attribute(name) }

    private static func toMany(
        _ name: String, _ entity: String, _ inverse: String, isOrdered: Bool = false
    ) -> String {
        "<relationship name=\"\(name)\" optional=\"YES\" toMany=\"YES\" \(isOrdered ? "ordered=\"YES\"" : "") "
            + "destinationEntity=\"\(entity)\" inverseName=\"\(inverse)\" inverseEntity=\"\(entity)\"/>"
    }

    private static func toOne(_ name: String, _ entity: String, _ inverse: String) -> String {
        "<relationship name=\"\(name)\" optional=\"YES\" maxCount=\"1\" "
            + "destinationEntity=\"\(entity)\" inverseName=\"\(inverse)\" inverseEntity=\"\(entity)\"/>"
    }

    private static func entity(_ name: String, _ elements: String, _ more: String = "") -> String {
        "<entity name=\"\(name)\" \(more) syncable=\"YES\">\(elements)</entity>"
    }

    /// A store of the first model with rows, and a plan to the second.
    private static func folder(
        _ old: String, _ new: String, rows: String, mapping: String
    ) throws -> MigrationFolder {
        let store = try MigrationFolder([:])
        try store.folder.place(old, at: "Library.xcdatamodeld/v1.xcdatamodel")
        try store.folder.place(new, at: "Library.xcdatamodeld/v2.xcdatamodel")
        try store.make("v1")
        try store.sql(rows + "ALTER SEQUENCE _howdah_id RESTART WITH 1000;")
        try store.folder.write(
            "model: Library.xcdatamodeld\nstages:\n  - label: links\n    from: v1\n    to: v2\n    mapping:\n"
                + mapping, at: "plan.yml")
        return store
    }

    /// Peers are of two entities, and one of them is named.
    @Test(arguments: ["$source.peer", "$source.peer.peer.peer", "uppercase(t)"])
    func aRelationshipThatIsItsOwnInverseGoesOn(_ expression: String) throws {
        let model = { (more: String) in
            Self.entity("N", Self.attribute("t") + Self.toMany("peer", "N", "peer") + more)
                + Self.entity("M", "", "parentEntity=\"N\"")
        }
        let item = expression.hasPrefix("$") ? "set: {peer: \(expression)}" : "leave: [peer]"
        let store = try Self.folder(
            model(""), model(Self.attribute("more")),
            rows: """
                INSERT INTO n (_id, _version, _entity) VALUES (1, 1, 'M'), (2, 1, 'M'), (3, 1, 'N');
                """, mapping: "      - make: N\n        \(item)\n")
        let join = try #require(
            try store.texts(
                "SELECT table_name FROM information_schema.columns WHERE column_name = 'peer' AND table_schema = 'public'"
            ).first)
        let columns = try store.texts(
            "SELECT column_name FROM information_schema.columns WHERE table_name = '\(join)' ORDER BY ordinal_position"
        )
        #expect(columns.count == 4, "\(columns)")
        try store.sql(
            "INSERT INTO \(join) (n, n_entity, peer, peer_entity) SELECT a, x, b, y FROM (VALUES "
                + "(1, 'M', 2, 'M'), (2, 'M', 1, 'M'), (1, 'M', 3, 'N'), (3, 'N', 1, 'M')) AS v (a, x, b, y)")
        let read = "SELECT n || n_entity || peer || peer_entity FROM \(join) ORDER BY 1"
        let before = try store.texts(read)
        let words = expression.hasPrefix("$") ? [] : ["--confirm-drop", "N.peer"]
        let done = try Tool.run(
            ["migrate", "apply", "--plan", "plan.yml", "--quiet", "--database", store.database.url] + words,
            in: store.folder)
        #expect(done.status == 0, "\(done)")
        let left = before.filter { !$0.contains("3") }
        #expect(left.count == 2 && before.count == 4)
        #expect(try store.texts(read) == (expression.hasPrefix("$") ? before : left))
    }

    @Test func theOtherEndKeepsItsOrder() throws {
        let model = { (more: String) in
            Self.entity(
                "Shelf", Self.attribute("label") + Self.toMany("boxes", "Box", "shelf", isOrdered: true))
                + Self.entity("Box", Self.attribute("title") + more + Self.toOne("shelf", "Shelf", "boxes"))
        }
        for mapping in [
            "      - make: Box\n        set: {shelf: $source.shelf}\n",
            "      - make: Shelf\n      - make: Box\n        set: {shelf: $source.shelf}\n",
        ] {
            let store = try Self.folder(
                model(""), model(Self.attribute("more")),
                rows: """
                    INSERT INTO shelf (_id, _version, label) VALUES (1, 1, 'high');
                    INSERT INTO box (_id, _version, title, shelf, shelf_order) VALUES
                        (2, 1, 'b1', 1, 2048), (3, 1, 'b2', 1, 3072), (4, 1, 'b3', 1, 1024);
                    """, mapping: mapping)
            let done = try store.planned("apply", "plan.yml", "--quiet")
            #expect(done.status == 0, "\(done)")
            #expect(
                try store.texts("SELECT title FROM box WHERE shelf = 1 ORDER BY shelf_order") == [
                    "b3", "b1", "b2",
                ])
        }
    }

    @Test func bothOrdersOfFriendsGoOn() throws {
        let model = { (more: String) in
            Self.entity(
                "Person",
                Self.attribute("name") + more + Self.toMany("friends", "Person", "friendOf", isOrdered: true)
                    + Self.toMany("friendOf", "Person", "friends", isOrdered: true))
        }
        let store = try Self.folder(
            model(""), model(Self.attribute("more")),
            rows:
                "INSERT INTO person (_id, _version, name) SELECT i, 1, 'p' || i FROM generate_series(1, 4) i;",
            mapping: "      - make: Person\n        set: {friends: $source.friends}\n")
        let join = try #require(
            try store.texts(
                "SELECT table_name FROM information_schema.columns WHERE column_name = 'friends_order' AND table_schema = 'public'"
            ).first)
        try store.sql(
            "INSERT INTO \(join) (friends, friend_of, friends_order, friend_of_order) VALUES "
                + "(4, 1, 2048, 3072), (4, 2, 1024, 1024), (4, 3, 1024, 2048), (3, 1, 1024, 1024)")
        let read = ["friends", "friend_of"].map {
            "SELECT friend_of || '>' || friends FROM \(join) ORDER BY \($0 == "friends" ? "friend_of" : "friends"), \($0)_order"
        }
        let before = try read.map(store.texts)
        let done = try store.planned("apply", "plan.yml", "--quiet")
        #expect(done.status == 0, "\(done)")
        #expect(try read.map(store.texts) == before)
    }

    /// An object that many had, and one can have.
    @Test func whoeverWouldLoseALinkIsNamed() throws {
        let model = { (end: String) in
            Self.entity("A", Self.attribute("t") + end)
                + Self.entity("B", Self.attribute("t") + Self.toMany("as", "A", "bs"))
        }
        let store = try Self.folder(
            model(Self.toMany("bs", "B", "as")), model(Self.toOne("bs", "B", "as")),
            rows: """
                INSERT INTO a (_id, _version, t) VALUES (1, 1, 'a0'), (2, 1, 'a1');
                INSERT INTO b (_id, _version, t) VALUES (3, 1, 'b0'), (4, 1, 'b2');
                """,
            mapping: "      - make: B\n        set: {as: $source.as}\n      - make: A\n        leave: [bs]\n")
        let join = try #require(
            try store.texts(
                "SELECT table_name FROM information_schema.columns WHERE column_name = 'bs' AND table_schema = 'public'"
            ).first)
        try store.sql("INSERT INTO \(join) (\"as\", bs) VALUES (1, 3), (1, 4), (2, 4)")
        let refused = try store.planned("apply", "plan.yml", "--quiet")
        #expect(
            refused.status == 4
                && refused.complaint.contains(
                    "A.bs refers to at most one object, but there are several: 1 object (A 1)"),
            "\(refused)")
        #expect(try store.texts("SELECT count(*)::text FROM \(join)") == ["3"])
        try store.sql("DELETE FROM \(join) WHERE bs = 3")
        #expect(try store.planned("apply", "plan.yml", "--quiet").status == 0)
        #expect(
            try store.texts("SELECT string_agg(_id || ' ' || bs, ', ' ORDER BY _id) FROM a") == ["1 4, 2 4"])
    }
}
