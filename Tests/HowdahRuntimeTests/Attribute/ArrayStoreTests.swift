import DeclaredModels
import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// Arrays in a real database: columns, every way rows are written, and rows of others.
@Suite(.timeLimit(.minutes(60))) struct ArrayStoreTests {
    /// One row by one, by arrays, and by COPY.
    @Test(arguments: [1, 7, 8, 40, 200])
    func valuesComeBack(_ count: Int) async throws {
        try await withTestStore(DeclaredShelves.model()) { container in
            let pictures = try await container.perform { context in
                var random = RandomValues(seed: UInt64(count))
                let shelves = (0..<count).map { number in
                    let shelf = Shelf(context: context)
                    shelf.fill(number, &random)
                    return shelf
                }
                try context.save()
                return shelves.map { shelf in shelf.layoutPicture }
            }
            try await container.perform { context in
                let shelves = try context.fetch(Shelf.self).sorted { number($0) < number($1) }
                #expect(shelves.map(\.layoutPicture) == pictures)
                var random = RandomValues(seed: 99)
                for shelf in shelves { shelf.fill(number(shelf), &random) }
                let changed = shelves.map(\.layoutPicture)
                try context.save()
                context.reset()
                let again = try context.fetch(Shelf.self).sorted { number($0) < number($1) }
                #expect(again.map(\.layoutPicture) == changed)
            }
        }
    }

    @Test func emptyAndNilAreTold() async throws {
        try await withTestStore(DeclaredShelves.model()) { container in
            try await container.perform { context in
                let shelf = Shelf(context: context)
                shelf.name = "a"
                shelf.oTags = []
                #expect(shelf.kinds == ["new", "it's \"{\\,}\""] && shelf.decimals == [1, 2.5])
                let other = Shelf(context: context)
                other.name = "b"
                try context.save()
                context.reset()
                let shelves = try context.fetch(Shelf.self, sortedBy: .ascending(\.name))
                #expect(shelves.map(\.oTags) == [[], nil])
                #expect(shelves.map(\.tags) == [[], []])
                shelves[0].tags = []
                container.statementLog.start()
                try context.save()
                #expect(container.statementLog.count == 0, "an equal array is no change")
                shelves[0].tags.append("x")
                try context.save()
                context.reset()
                let found = try context.fetch(Shelf.self, where: #Predicate { $0.tags.contains("x") })
                #expect(found.map(\.name) == ["a"])
            }
        }
    }

    @Test func columnsDefaultsAndRowsOfOthers() async throws {
        try await withTestDatabase(for: DeclaredShelves.model()) { database in
            let session = try Connection(ConnectionConfiguration(database.url))
            defer { session.close() }
            func column(_ sql: String) throws -> [String] {
                let result = try session.query(sql)
                return (0..<result.rowCount).map { result.row($0)[0].string() }
            }
            let types = try column(
                """
                SELECT a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || coalesce(' ' || collname, '')
                FROM pg_attribute a LEFT JOIN pg_collation c ON c.oid = a.attcollation
                WHERE attrelid = 'shelf'::regclass AND attnum > 0 ORDER BY attnum
                """)
            for wanted in [
                "tags text[] C", "flags boolean[]", "int16s smallint[]", "int32s integer[]",
                "int64s bigint[]",
                "ints bigint[]", "doubles double precision[]", "floats real[]", "decimals numeric[]",
                "dates timestamp with time zone[]", "datas bytea[]", "uuids uuid[]", "urls text[] C",
                "label_lines text[] C", "label_sizes double precision[]",
            ] {
                #expect(types.contains(wanted), "\(wanted) in \(types)")
            }
            _ = try session.query("INSERT INTO shelf (name) VALUES ('theirs')")
            for bad in ["ARRAY['a', NULL]", "ARRAY[['a'], ['b']]", "'[0:1]={a,b}'"] {
                #expect(throws: PostgresError.self, "\(bad)") {
                    try session.query("UPDATE shelf SET tags = \(bad)")
                }
            }
            let container = try await PersistentContainer.open(database.url, model: DeclaredShelves.model())
            try await container.perform { context in
                let shelf = try #require(try context.fetch(Shelf.self).first)
                #expect(shelf.kinds == ["new", "it's \"{\\,}\""])
                #expect(shelf.int16s == [1, -2] && shelf.doubles == [0.5] && shelf.decimals == [1, 2.5])
                #expect(shelf.tags == [] && shelf.oTags == nil)
            }
            // Even where somebody dropped the CHECK, a NULL is an error and no crash.
            _ = try session.query(
                "ALTER TABLE shelf DROP CONSTRAINT shelf_tags_elements_check"
            )
            _ = try session.query("UPDATE shelf SET tags = ARRAY['a', NULL]")
            let error = await #expect(throws: FetchError.self) {
                try await container.perform { _ = try $0.fetch(Shelf.self) }
            }
            #expect(error?.databaseError?.code == .invalidValue)
            await container.close()
        }
    }

    @Test func dynamicObjects() async throws {
        var entity = try #require(DeclaredShelves.model()["Shelf"])
        entity.className = nil
        try await withTestStore(ManagedObjectModel(entities: [entity])) { container in
            try await container.perform { context in
                let shelf = context.insert("Shelf")
                shelf.setValue("a", forKey: "name")
                shelf.setValue(["x", "e\u{301}"], forKey: "tags")
                shelf.setValue([1, 2, 3] as [Any], forKey: "int16s")
                shelf.setValue(Shelf.sampleUUIDs, forKey: "uuids")
                shelf.setValue(
                    ["lines": ["l"], "sizes": nil] as [String: Any?] as [String: Any], forKey: "label")
                try context.save()
                context.reset()
                let again = try #require(try context.fetch("Shelf").first)
                #expect(again.value(forKey: "tags") as? [String] == ["x", "é"])
                #expect(again.value(forKey: "int16s") as? [Int64] == [1, 2, 3])
                #expect(again.value(forKey: "uuids") as? [UUID] == Shelf.sampleUUIDs)
                #expect(again.value(forKey: "oTags") == nil)
                #expect(again.value(forKey: "label.lines") as? [String] == ["l"])
                let found = try context.fetch("Shelf", matching: .format("tags CONTAINS 'x'"))
                #expect(found.count == 1)
            }
        }
    }

    private func number(_ shelf: Shelf) -> Int { Int(shelf.name.dropFirst()) ?? -1 }
}

extension ManagedObject {
    /// All attributes in a form that compares NaN with NaN as equal.
    fileprivate var layoutPicture: [String] {
        layout.slots.indices.filter { layout.attribute($0) != nil }.map { _value(at: $0).picture }
    }
}
