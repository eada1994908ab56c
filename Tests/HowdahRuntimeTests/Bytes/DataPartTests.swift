import Foundation
import Howdah
import HowdahTesting
import Synchronization
import TestSupport
import Testing

/// Long values that are read and written in parts.
@Suite(.timeLimit(.minutes(60))) struct DataPartTests {
    private static func attachment(
        _ container: PersistentContainer, _ file: Data? = Data()
    ) async throws -> ObjectID<LongAttachment> {
        try await container.perform { context in
            let attachment = LongAttachment(context: context)
            attachment.file = file
            try context.save()
            return attachment.objectID
        }
    }

    @Test func partsOfAValueAreRead() async throws {
        try await withTestStore(LongAttachment.model()) { container in
            let all = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let id = try await Self.attachment(container, all)
            container.statementLog.start()
            for (range, expected) in [
                (0..<10, 0..<10), (99_990..<200_000, 99_990..<100_000), (5..<5, 5..<5),
                (7..<Int.max, 7..<100_000),
                (200_000..<300_000, 100_000..<100_000), (Int.max - 1..<Int.max, 100_000..<100_000),
            ] {
                let part = try #require(try await container.dataPart(of: id, \.file, in: range))
                #expect(part.range == expected && part.bytes == all[expected] && part.count == 100_000)
                #expect(part.version?.description == "r1")
            }
            #expect(container.statementLog.count == 6)
            var (sizes, joined) = ([Int](), Data())
            for try await part in container.dataParts(of: id, \.file, in: 10..<50_011, size: 20_000) {
                sizes.append(part.count)
                joined += part
            }
            #expect(sizes == [20_000, 20_000, 10_001] && joined == all[10..<50_011])
            for size in [Int.max, .max - 10, 1 << 31] {
                for range in [0..<100_000, 10..<50_011, 10..<Int.max, 99_999..<Int.max, 200_000..<Int.max] {
                    var joined = Data()
                    for try await part in container.dataParts(of: id, \.file, in: range, size: size) {
                        joined += part
                    }
                    #expect(joined == all[range.clamped(to: 0..<100_000)], "\(range) \(size)")
                }
            }
        }
    }

    @Test func partsOfNothingAreNone() async throws {
        try await withTestStore(LongAttachment.model()) { container in
            let (none, empty) = (
                try await Self.attachment(container, nil), try await Self.attachment(container, Data())
            )
            #expect(try await container.dataPart(of: none, \.file, in: 0..<10) == nil)
            #expect(try await container.dataPart(of: empty, \.file, in: 0..<10)?.count == 0)
            for id in [none, empty] {
                for try await _ in container.dataParts(of: id, \.file) { Issue.record("a part") }
            }
        }
    }

    @Test func valuesAreWrittenFromParts() async throws {
        try await withTestStore(LongAttachment.model()) { container in
            let id = try await Self.attachment(container)
            let parts = (0..<50).map { number in [UInt8](repeating: UInt8(number), count: 100_000) }
            let first = try await container.perform { try $0.existingObject(with: id).version }
            let version = try await container.writeData(
                of: id, \.file, from: Self.stream(parts), version: first)
            #expect(version.description == "r2")
            try await container.perform { context in
                let attachment = try context.existingObject(with: id)
                #expect(attachment.file == Data(parts.joined()) && attachment.version == version)
                #expect(attachment.checked != nil, "the time of the write")
                #expect(
                    try context.fetchRows(Int64.self, sql: "SELECT count(*) FROM pg_largeobject_metadata")
                        == [0])
                // In a context: the unchanged object loads again, a changed one has a conflict.
                try context.writeData(of: id, \.file, from: [Data([1]), Data(), Data([2, 3])])
                #expect(attachment.file == Data([1, 2, 3]))
                attachment.name = "changed"
                try context.writeData(of: id, \.file, from: [])
                let error = #expect(throws: SaveError.self) { try context.save() }
                #expect(error?.code == .conflict)
            }
            #expect(try await container.dataPart(of: id, \.file, in: 0..<1)?.version?.description == "r4")
        }
    }

    @Test func failuresLeaveTheFormerValue() async throws {
        try await withTestStore(LongAttachment.model()) { container in
            let id = try await Self.attachment(container, Data([1, 2]))
            let stale = try #require(ObjectVersion("r7"))
            var error = await #expect(throws: SaveError.self) {
                try await container.writeData(of: id, \.file, from: Self.stream([[3]]), version: stale)
            }
            #expect(error?.code == .conflict && error?.conflicts.first?.isOfNamedVersion == true)
            #expect(error?.conflicts.first?.properties == ["file"])
            #expect(error?.conflicts.first?.version?.description == "r1")
            await #expect(throws: CocoaError.self) {
                let parts = AsyncThrowingStream<Data, any Error> { continuation in
                    continuation.yield(Data([9]))
                    continuation.finish(throwing: CocoaError(.fileNoSuchFile))
                }
                try await container.writeData(of: id, \.file, from: parts)
            }
            try await container.perform { context in
                _ = try context.fetchRows(
                    sql: "ALTER TABLE long_attachment ADD CONSTRAINT small CHECK (octet_length(file) < 10)")
            }
            error = await #expect(throws: SaveError.self) {
                try await container.writeData(
                    of: id, \.file, from: Self.stream([[UInt8](repeating: 0, count: 10)]))
            }
            #expect(error?.code == .validation && error?.issues.first?.entityName == "LongAttachment")
            // The transaction goes on after a refused value.
            try await container.perform(isolation: .readCommitted) { context in
                #expect(throws: SaveError.self) {
                    try context.writeData(of: id, \.file, from: [Data(repeating: 0, count: 11)])
                }
                try context.writeData(of: id, \.file, from: [Data([5])])
            }
            #expect(try await container.dataPart(of: id, \.file, in: 0..<9)?.bytes == Data([5]))
            await #expect(throws: CocoaError.self) {
                try await container.perform(isolation: .readCommitted) { context in
                    try context.writeData(of: id, \.file, from: [Data([6])])
                    throw CocoaError(.fileNoSuchFile)
                }
            }
            #expect(try await container.dataPart(of: id, \.file, in: 0..<9)?.bytes == Data([5]))
            try await container.perform { context in
                #expect(
                    try context.fetchRows(Int64.self, sql: "SELECT count(*) FROM pg_largeobject_metadata")
                        == [0])
                context.delete(try context.existingObject(with: id))
                try context.save()
            }
            for write in [true, false] {
                let error = await #expect(throws: FetchError.self) {
                    if write { try await container.writeData(of: id, \.file, from: Self.stream([[1]])) }
                    _ = try await container.dataPart(of: id, \.file, in: 0..<1)
                }
                #expect(error?.code == .objectNotFound)
            }
        }
    }

    /// A client can send the key of a row with the name of another entity.
    @Test func theEntityOfTheRowIsCompared() async throws {
        try await withTestStore(LongAttachment.model()) { container in
            let (scan, film) = try await container.perform { context in
                let (scan, film) = (LongScan(context: context), LongFilm(context: context))
                (scan.file, film.file) = (Data([1]), Data([2]))
                try context.save()
                return (scan.objectID as ObjectID<LongScan>, film.objectID as ObjectID<LongFilm>)
            }
            let path = film.uriRepresentation.absoluteString.replacing("LongFilm", with: "LongScan")
            let forged = try #require(URL(string: path).flatMap(ObjectID<LongScan>.init(uriRepresentation:)))
            let whole = try #require(URL(string: path.replacing("LongScan", with: "LongAttachment")))
            let general = try #require(ObjectID<LongAttachment>(uriRepresentation: whole))
            let other = try #require(ObjectID<LongFilm>(uriRepresentation: scan.uriRepresentation))
            for ask in [
                { try await container.writeData(of: forged, \.pages, from: Self.stream([[9]])) },
                { try await container.writeData(of: other, \.file, from: Self.stream([[9]])) },
                { _ = try await container.dataPart(of: forged, \.pages, in: 0..<1) },
                { _ = try await container.dataPart(of: other, \.file, in: 0..<1) },
                { for try await _ in container.dataParts(of: forged, \.file) {} },
                // The superentity has the attribute, but the id names no row of its own.
                { try await container.writeData(of: general, \.file, from: Self.stream([[9]])) },
                { _ = try await container.dataPart(of: general, \.file, in: 0..<1) },
                { for try await _ in container.dataParts(of: general, \.file) {} },
            ] as [@Sendable () async throws -> Void] {
                let error = await #expect(throws: FetchError.self) { try await ask() }
                #expect(error?.code == .foreignID)
            }
            #expect(try await container.dataPart(of: scan, \.file, in: 0..<9)?.bytes == Data([1]))
            // An id that the library made keeps the entity of its row, whatever its type.
            let typed: ObjectID<LongAttachment> = film.typed()
            #expect(try await container.dataPart(of: typed, \.file, in: 0..<9)?.bytes == Data([2]))
            try await container.writeData(of: typed, \.file, from: Self.stream([[3]]))
            #expect(try await container.dataPart(of: film, \.file, in: 0..<9)?.bytes == Data([3]))
        }
    }

    /// The version that a program named moves with what it writes itself, and back with a rollback.
    @Test func aNamedVersionMovesWithTheWriting() async throws {
        struct Stop: Error {}
        try await withStore(LongAttachment.model()) { container, sql in
            let id = try await Self.attachment(container)
            let first = try #require(ObjectVersion("r1"))
            let background = container.newBackgroundContext()
            await #expect(throws: Stop.self) {
                try await background.perform(isolation: .readCommitted) { context in
                    _ = try context.existingObject(with: id, version: first)
                    try context.writeData(of: id, \.file, from: [Data([1])], version: first)
                    throw Stop()
                }
            }
            // Nobody changed the row since.
            try await background.perform { context in
                let attachment = try context.existingObject(with: id)
                #expect(attachment.version == first && attachment.file == Data())
                attachment.file = Data([2])
                try context.save()
            }
            let second = try #require(ObjectVersion("r2"))
            await #expect(throws: Stop.self) {
                try await background.perform(isolation: .readCommitted) { context in
                    _ = try context.existingObject(with: id, version: second)
                    try context.writeData(of: id, \.file, from: [Data([3])], version: second)
                    throw Stop()
                }
            }
            try sql.rows("UPDATE long_attachment SET file = '\\x09', _version = _version + 1")
            let error = await #expect(throws: SaveError.self) {
                try await background.perform { context in
                    context.mergePolicy = .overwrite
                    try context.existingObject(with: id).file = Data([4])
                    try context.save()
                }
            }
            #expect(error?.code == .conflict)
            // One request that writes the value and changes the object.
            try await container.perform(isolation: .readCommitted) { context in
                let third = try #require(ObjectVersion("r3"))
                let attachment = try context.existingObject(with: id, version: third)
                try context.writeData(of: id, \.file, from: [Data([5])], version: third)
                attachment.file = Data([6])
                try context.save()
            }
            #expect(
                try sql.value("SELECT _version || ' ' || encode(file, 'hex') FROM long_attachment") == "5 06")
        }
    }

    @Test func aReadOnlyContainerWritesNoParts() async throws {
        try await withTestDatabase(for: LongAttachment.model()) { database in
            let writing = try await PersistentContainer.open(database.url, model: LongAttachment.model())
            let id = try await Self.attachment(writing, Data([1]))
            await writing.close()
            var options = StoreOptions()
            options.isReadOnly = true
            let container = try await PersistentContainer.open(
                database.url, model: LongAttachment.model(), options: options)
            container.statementLog.start()
            for ask in [
                { try await container.writeData(of: id, \.file, from: Self.stream([[2]])) },
                {
                    try await container.perform { context in
                        _ = try context.writeData(of: id, \.file, from: [Data([2])])
                    }
                },
            ] as [@Sendable () async throws -> Void] {
                let error = await #expect(throws: SaveError.self) { try await ask() }
                #expect(error?.code == .readOnly)
            }
            #expect(container.statementLog.count == 0)
            #expect(try await container.dataPart(of: id, \.file, in: 0..<9)?.bytes == Data([1]))
            await container.close()
        }
    }

    @Test func aChangeBetweenTwoPartsEndsTheLoop() async throws {
        try await withTestStore(LongAttachment.model()) { container in
            let id = try await Self.attachment(container, Data(repeating: 1, count: 10))
            var iterator = container.dataParts(of: id, \.file, size: 5).makeAsyncIterator()
            #expect(try await iterator.next()?.count == 5)
            try await container.writeData(
                of: id, \.file, from: Self.stream([[UInt8](repeating: 2, count: 10)]))
            let error = await #expect(throws: FetchError.self) { _ = try await iterator.next() }
            #expect(error?.code == .changed)
        }
    }

    @Test func otherAttributesAreRefused() async throws {
        try await withTestStore(LongAttachment.model()) { container in
            let id = try await Self.attachment(container)
            for (ask, words): (@Sendable () async throws -> Void, String) in [
                (
                    { _ = try await container.dataPart(of: id, \.name, in: 0..<1) },
                    "LongAttachment.name is not"
                ),
                ({ _ = try await container.dataPart(of: id, \.file, in: -1..<1) }, "before the first byte"),
                (
                    { try await container.writeData(of: id, \.name, from: Self.stream([[1]])) },
                    "LongAttachment.name is not"
                ),
                ({ try await container.writeData(of: id, \.seal, from: Self.stream([[1]])) }, "derived from"),
                ({ for try await _ in container.dataParts(of: id, \.file, size: 0) {} }, "size of a part"),
                (
                    {
                        try await container.perform { context in
                            _ = try context.newChildContext().dataPart(of: id, \.file, in: 0..<1)
                        }
                    }, "child context"
                ),
            ] {
                let error = await #expect(throws: FetchError.self) { try await ask() }
                #expect(error?.code == .invalidRequest && error?.message.contains(words) == true, "\(words)")
            }
        }
    }

    /// The process never holds the value.
    @Test(.enabled(if: TestTier.current >= .all)) func longValuesPassInParts() async throws {
        try await withTestStore(LongAttachment.model()) { container in
            let id = try await Self.attachment(container)
            let part = [UInt8]((0..<(1 << 20)).map { _ in .random(in: 0...255) })
            let (whole, count) = (Data(part), 300)
            let before = Self.peak()
            let sent = Mutex(0)
            let parts = AsyncStream {
                sent.withLock { sent in
                    sent += 1
                    return sent > count ? nil : part
                }
            }
            try await container.writeData(of: id, \.file, from: parts)
            var read = 0
            for try await bytes in container.dataParts(of: id, \.file) {
                #expect(bytes == whole)
                read += 1
            }
            #expect(read == count)
            #expect(Self.peak() - before < 100 << 10, "\(before) to \(Self.peak()) KiB")
        }
    }

    private static func stream(_ parts: [[UInt8]]) -> AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            for part in parts { continuation.yield(part) }
            continuation.finish()
        }
    }

    /// The most memory that the process has had, in KiB.
    private static func peak() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }
}

@Entity private class LongAttachment: ManagedObject {
    var name: String = ""
    @Attribute(.externalStorage) var file: Data?
    var seal: Data?
    @Attribute(derived: "now()") var checked: Date?
    @Relationship(inverse: "attachment") var copies: ToMany<AttachmentCopy>

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(LongAttachment.self, LongScan.self, LongFilm.self, AttachmentCopy.self)
    }
}

@Entity private final class LongScan: LongAttachment {
    var pages: Data?
}

@Entity private final class LongFilm: LongAttachment {
    var sound: Data?
}

@Entity private final class AttachmentCopy: ManagedObject {
    @Attribute(derived: "attachment.seal") var seal: Data?
    @Relationship(inverse: "copies") var attachment: LongAttachment?
}
