import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Code of the program that runs while a batch, a long value or findOrInsert is being stored.
@Suite(.timeLimit(.minutes(60))) struct OpenCallTests {
    private static let names = [
        "save()", "execute(_:)", "execute(_:)", "execute(_:)", "findOrInsert", "writeData",
        "previewDelete(_:)",
    ]

    /// Returns the refused calls, each by the first word of its message.
    private static func refusals(_ context: ManagedObjectContext, _ note: OpenNote) -> [String] {
        let calls: [() throws -> Void] = [
            { try context.save() },
            { try context.execute(BatchInsertRequest(OpenNote.self, objects: [["text": "inner"]])) },
            { try context.execute(BatchUpdateRequest(OpenNote.self, set: ["count": 9])) },
            { try context.execute(BatchDeleteRequest(OpenNote.self)) },
            { _ = try context.findOrInsert(OpenNote.self, by: \.text, "inner") },
            { try context.writeData(of: note.objectID as ObjectID<OpenNote>, \.file, from: [Data([9])]) },
            { _ = try context.previewDelete(note) },
        ]
        return calls.compactMap { call in
            let error = #expect(throws: FetchError.self) { try call() }
            guard error?.code == .invalidRequest else { return nil }
            return error?.message.split(separator: " ").first.map(String.init)
        }
    }

    private static func note(_ text: String, _ context: ManagedObjectContext) throws -> OpenNote {
        let note = OpenNote(context: context)
        note.text = text
        try context.save()
        return note
    }

    private static func texts(_ container: PersistentContainer) async throws -> [String] {
        try await container.perform { try $0.fetch(OpenNote.self).map(\.text).sorted() }
    }

    @Test(arguments: [nil, Isolation.readCommitted], [MergePolicy.MergeType.error, .overwrite])
    func aGeneratorCannotStoreOtherThings(
        isolation: Isolation?, policy: MergePolicy.MergeType
    ) async throws {
        try await withTestStore(OpenNote.model()) { container in
            for (round, refused) in [RefusedRowPolicy.fail, .collect(upTo: 1)].enumerated() {
                try await container.perform(isolation: isolation) { context in
                    let note = try Self.note("old \(round)", context)
                    note.count = 1
                    var (number, refusals) = (0, [String]())
                    var request = BatchInsertRequest(
                        OpenNote.self, uniqueness: policy,
                        dictionaryHandler: { row in
                            number += 1
                            row = ["text": "\(round) \(number)"]
                            if number == 3 { refusals = Self.refusals(context, note) }
                            return number > 5
                        })
                    request.refusedRows = refused
                    #expect(try context.execute(request).insertedCount == 5)
                    #expect(refusals == Self.names)
                    #expect(note.hasChanges)
                    try context.save()
                    #expect(!note.hasChanges)
                }
            }
            let texts = (0..<2).flatMap { round in (1...5).map { "\(round) \($0)" } + ["old \(round)"] }
            #expect(try await Self.texts(container) == texts.sorted())
            let changed = try await container.perform {
                try $0.count(OpenNote.self, matching: .format("count == 1"))
            }
            #expect(changed == 2)
        }
    }

    /// Two statements of rows are sent before the save.
    @Test(arguments: [MergePolicy.MergeType.error, .overwrite])
    func aFailingBatchStoresNothing(policy: MergePolicy.MergeType) async throws {
        try await withTestStore(OpenNote.model()) { container in
            try await container.perform { context in
                let notes = [try Self.note("a", context), try Self.note("b", context)]
                for note in notes { note.count = 1 }
                var number = 0
                var request = BatchInsertRequest(
                    OpenNote.self, uniqueness: policy,
                    dictionaryHandler: { row in
                        number += 1
                        row = ["text": "\(number)"]
                        if number == 4_500 { try context.save() }
                        return number > 5_000
                    })
                request.refusedRows = .collect(upTo: 1)
                let error = #expect(throws: FetchError.self) { try context.execute(request) }
                #expect(error?.code == .invalidRequest)
                #expect(try context.count(OpenNote.self) == 2)
                try context.save()
            }
            let counts = try await container.perform { try $0.fetch(OpenNote.self).map(\.count) }
            #expect(counts == [1, 1])
        }
    }

    @Test @MainActor func aViewContextRefusesThemToo() async throws {
        try await withTestStore(OpenNote.model()) { container in
            let context = container.viewContext
            let note = try Self.note("a", context)
            var (number, refusals) = (0, [String]())
            let request = BatchInsertRequest(
                OpenNote.self,
                managedObjectHandler: { row in
                    number += 1
                    row.text = "\(number)"
                    if number == 2 { refusals = Self.refusals(context, note) }
                    return number > 3
                })
            #expect(try context.execute(request).insertedCount == 3)
            #expect(refusals == Self.names)
        }
    }

    @Test(arguments: [nil, Isolation.readCommitted])
    func theSequenceOfAValueCannotStoreOtherThings(isolation: Isolation?) async throws {
        try await withTestStore(OpenNote.model()) { container in
            try await container.perform(isolation: isolation) { context in
                let (note, file) = (try Self.note("a", context), try Self.note("b", context))
                note.count = 1
                var (number, refusals) = (0, [String]())
                let parts = AnyIterator<Data> {
                    number += 1
                    if number == 2 { refusals = Self.refusals(context, note) }
                    return number > 3 ? nil : Data([UInt8(number)])
                }
                try context.writeData(of: file.objectID as ObjectID<OpenNote>, \.file, from: parts)
                #expect(refusals == Self.names)
                #expect(file.file == Data([1, 2, 3]) && note.hasChanges)
                try context.save()
                let large = try context.fetchRows(
                    Int64.self, sql: "SELECT count(*) FROM pg_largeobject_metadata")
                #expect(large == [0])
            }
            #expect(try await Self.texts(container) == ["a", "b"])
        }
    }

    /// A save would store the object half set.
    @Test func setUpCannotSave() async throws {
        try await withTestStore(OpenNote.model()) { container in
            try await container.perform { context in
                var error = #expect(throws: FetchError.self) {
                    _ = try context.findOrInsert(OpenNote.self, by: \.text, "a") { _ in try context.save() }
                }
                #expect(error?.code == .invalidRequest)
                #expect(error?.message.hasPrefix("save() was called by setUp") == true)
                for end in [
                    { context.reset() }, { context.rollback() },
                    { context.insertedObjects.forEach(context.delete) },
                ] {
                    error = #expect(throws: FetchError.self) {
                        _ = try context.findOrInsert(OpenNote.self, by: \.text, "a") { _ in end() }
                    }
                    #expect(error?.code == .invalidRequest && error?.message.contains("reset") == true)
                }
                #expect(context.failure == nil && context.insertedObjects.isEmpty)
                #expect(try context.count(OpenNote.self) == 0)
                // Another object may be found or inserted there.
                let note = try context.findOrInsert(OpenNote.self, by: \.text, "a") { note in
                    note.other = try context.findOrInsert(OpenNote.self, by: \.text, "b") { $0.count = 7 }
                }
                #expect(!context.hasChanges && note.other?.count == 7)
                try context.save()
            }
            #expect(try await Self.texts(container) == ["a", "b"])
        }
    }
}

@Entity private final class OpenNote: ManagedObject {
    @Attribute(.unique) var text: String
    var count: Int = 0
    var file: Data?
    @Relationship(inverse: "others") var other: OpenNote?
    @Relationship(inverse: "other") var others: ToMany<OpenNote>

    static func model() throws -> ManagedObjectModel { try ManagedObjectModel(OpenNote.self) }
}
