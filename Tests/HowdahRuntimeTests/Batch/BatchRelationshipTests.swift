import DeclaredModels
import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// What follows from batch-inserted rows: foreign keys, order, versions of owners, derived attributes.
@Suite struct BatchRelationshipTests {
    @Test func toOnesAreSetByID() async throws {
        try await CompanyStore.with { store in
            let container = store.container
            let departments = try await container.insert(
                into: Department.self, result: .objectIDs,
                from: [["name": "a"], ["name": "b"]])
            let ids = departments.objectIDs
            let people = try await container.insert(
                into: Employee.self, result: .objectIDs,
                from: [
                    ["firstName": "x", "department": ids[0]], ["firstName": "y", "department": nil],
                    ["firstName": "z", "department": ids[1]],
                ])
            try await container.perform { context in
                let found = try context.fetch(Employee.self)
                #expect(found.map(\.department?.name) == ["a", nil, "b"])
            }
            for (wrong, sentence) in [
                (people.objectIDs[0] as any Sendable, "refers to Department and cannot refer to Employee"),
                ("a", "cannot hold String"), (Optional("a"), "cannot hold String"),
                (Value.string("a"), "cannot hold String"),
                (
                    ObjectID<ManagedObject>(storeIdentifier: UUID(), entityName: "Department", key: 1),
                    "another store"
                ),
                (
                    ObjectID<ManagedObject>(
                        storeIdentifier: container.storeIdentifier, entityName: "Department", key: -1),
                    "temporary id"
                ),
            ] {
                let error = await #expect(throws: SaveError.self) {
                    try await container.insert(
                        into: Employee.self,
                        from: [["firstName": "ok"], ["firstName": "w", "department": wrong]])
                }
                #expect(error?.code == .validation && error?.description.contains(sentence) == true)
                #expect(error?.issues.first?.row == 2 && error?.issues.first?.propertyName == "department")
            }
            let gone = ObjectID<ManagedObject>(
                storeIdentifier: container.storeIdentifier, entityName: "Department", key: 1 << 40)
            let error = await #expect(throws: SaveError.self) {
                try await container.insert(
                    into: Employee.self, from: [["firstName": "w", "department": gone]])
            }
            #expect(error?.code == .referentialIntegrity)
            #expect(error?.issues.first?.propertyName == "department")
            #expect(
                try await container.perform { try $0.count(Employee.self) } == 3)
        }
    }

    @Test func whatCannotBeWrittenIsRefusedByName() async throws {
        try await withTestStore(Company.model()) { container in
            for (name, sentence) in [
                ("firstNam", "Did you mean 'firstName'?"), ("projects", "to-many"),
                ("heads", "stored in the rows of its destination"), ("location.latitud", "latitud"),
                ("lastName.first", "no elements"), ("department.name", "ObjectID"), ("", "no property"),
            ] {
                do {
                    try await container.insert(
                        into: Employee.self,
                        from: [["firstName": "a", name: "x" as any Sendable]])
                    Issue.record("\(name) was taken")
                } catch {
                    #expect("\(error)".contains(sentence), "\(name): \(error)")
                    #expect("\(error)".contains("row 1"), "\(name): \(error)")
                }
            }
        }
        try await withTestStore(DeclaredStaff.ledger()) { container in
            for (name, sentence) in [
                ("size", "derived"), ("titleKey", "derived"), ("isOpen", "not stored"),
                ("entries", "to-many"),
            ] {
                let error = await #expect(throws: FetchError.self) {
                    try await container.insert(
                        into: Book.self, from: [["title": "a", "year": 2000, name: 1]])
                }
                #expect(error?.code == .invalidRequest && error?.message.contains(sentence) == true)
            }
        }
    }

    @Test func subentitiesShareATableAndCountsFollow() async throws {
        try await withTestStore(DeclaredStaff.ledger()) { container in
            let books = try await container.insert(
                into: Book.self, result: .objectIDs,
                from: (0..<3).map { ["title": "Édition \($0)", "year": 2000 + $0] as [String: any Sendable] })
            let ids = books.objectIDs
            container.statementLog.start()
            try await container.insert(
                into: Entry.self,
                from: (0..<10).map {
                    [
                        "amount": $0, "book": $0 < 6 ? ids[0] : ids[1], "token": UUID(), "default": false,
                        "bookedAt": Date(),
                    ]
                        as [String: any Sendable]
                })
            // COPY, a lock, the sums.
            #expect(container.statementLog.count == 3)
            try await container.insert(
                into: Correction.self,
                from: [
                    [
                        "amount": 1, "book": ids[0], "token": UUID(), "reason": "r",
                        "bookedAt": Date(timeIntervalSince1970: 1_000),
                    ]
                ])
            try await container.perform { context in
                let books = try context.fetch(Book.self)
                #expect(books.map(\.size) == [7, 4, 0])
                #expect(books.map(\.entries.count) == books.map(\.size))
                #expect(books[0].titleKey == "edition 0")
                let corrections = try context.fetch(Correction.self)
                #expect(corrections.map(\.reason) == ["r"] && corrections[0].value == -1.5)
                #expect(corrections[0].bookedAt == Date(timeIntervalSince1970: 1_000))
                try #expect(context.count(Entry.self) == 11)
            }
        }
    }

    @Test func newMembersOfAnOrderedRelationshipComeLast() async throws {
        try await withTestStore(DeclaredLists.model()) { container in
            let handle = container.newBackgroundContext()
            let album = try await handle.perform { context in
                let album = Album(context: context)
                album.title = "A"
                for number in 0..<3 {
                    let song = Song(context: context)
                    song.number = number
                    album.songs.append(song)
                }
                try context.save()
                return album.objectID
            }
            try await container.insert(
                into: Song.self,
                from: (3..<6).map { ["number": $0, "album": album] as [String: any Sendable] })
            try await container.insert(
                into: Single.self, from: [["number": 6, "album": album], ["number": 9]])
            // Behind the new ones, without loading the list.
            try await container.perform { context in
                let song = Song(context: context)
                song.number = 7
                context.object(with: album).songs.append(song)
                try context.save()
                #expect(context.object(with: album).songs.map(\.number) == Array(0...7))
            }
            // A context that read the list before has a conflict about it.
            try await handle.perform { context in
                let album = context.object(with: album)
                album.title = "B"
                let error = #expect(throws: SaveError.self) { try context.save() }
                #expect(error?.code == .conflict)
            }
        }
    }

    @Test func derivedAttributesAreWhatSavesMakeOfThem() async throws {
        let model = try DerivedModel.model()
        try await withStore(model) { container, sql in
            func insert(_ entity: String, _ rows: [[String: any Sendable]]) async throws -> [ObjectID<
                ManagedObject
            >] {
                try await container.insert(
                    into: ManagedObject.self, entityName: entity, result: .objectIDs, from: rows
                ).objectIDs
            }
            let firms = try await insert("Firm", [["name": "F0"], ["name": "F1"]])
            let departments = try await insert(
                "Department",
                (0..<4).map {
                    ["name": "D\($0)", "firm": $0 < 3 ? firms[$0 % 2] : nil, "place.city": "C\($0)"]
                })
            let people = try await insert(
                "Employee",
                (0..<20).map {
                    ["name": "E\($0)", "salary": $0, "department": departments[$0 % 4]]
                })
            let bosses = try await insert(
                "Boss", [["name": "B", "salary": 5, "title": "Dr", "department": departments[0]]])
            #expect(try DerivedModel.wrongRows(sql) == [])
            let moments = try sql.rows(
                "SELECT count(*)::text FROM department WHERE changed_at BETWEEN now() - interval '1 hour' AND now()"
            )
            #expect(moments == [["4"]])
            // Updates and deletions keep them right, too.
            try await container.perform { context in
                let raise = BatchUpdateRequest(
                    FetchRequest<ManagedObject>(entityName: "Employee"), set: ["salary": .increment(by: 1)])
                let raised = try context.execute(raise)
                #expect(raised.count == 21)
                let move = BatchUpdateRequest<ManagedObject>(
                    FetchRequest(entityName: "Department"),
                    set: ["firm": .value(firms[1]), "name": .value("Moved")])
                let moved = try context.execute(move)
                #expect(moved.count == 4)
                let delete = BatchDeleteRequest(objectIDs: Array(people.prefix(3)) + bosses, result: .count)
                let deleted = try context.execute(delete)
                #expect(deleted.count == 4)
            }
            #expect(try DerivedModel.wrongRows(sql) == [])
            #expect(try sql.rows("SELECT DISTINCT upper FROM department") == [["MOVED"]])
        }
    }
}
