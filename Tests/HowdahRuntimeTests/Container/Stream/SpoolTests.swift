import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Spools keep bytes in order, in memory or in a file, and leave nothing.
@Suite(.timeLimit(.minutes(60))) struct SpoolTests {
    private static func withDirectory(_ body: (URL) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "spool-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try body(directory)
    }

    @Test func piecesComeBackInOrder() throws {
        try Self.withDirectory { directory in
            for round in 0..<TestTier.choose(quick: 20, all: 100, nightly: 1_000) {
                var generator = SeededGenerator(seed: UInt64(round))
                let spool = Spool(directory: directory)
                let most = generator.pick([0, 1, 1_000, 400_000, 1_500_000])
                let pieces = (0..<generator.pick([0, 1, 2, 30])).map { number in
                    [UInt8](
                        repeating: UInt8(truncatingIfNeeded: number),
                        count: Int.random(in: 0...most, using: &generator))
                }
                for piece in pieces { try piece.withUnsafeBytes { try spool.append($0) } }
                for piece in pieces { #expect(try spool.next() == piece, "seed \(round)") }
                #expect(try spool.next() == nil, "seed \(round)")
                spool.close()
                #expect(try spool.next() == nil)
            }
        }
    }

    #if os(Linux)
    @Test func theFileHasNoNameAndOneReader() async throws {
        try await StreamStore.with { store in
            let spool = Spool(directory: store.directory)
            try [UInt8](repeating: 1, count: Spool.memoryLimit / 2).withUnsafeBytes { try spool.append($0) }
            #expect(store.descriptors() == [])
            try [UInt8](repeating: 2, count: Spool.memoryLimit / 2).withUnsafeBytes { try spool.append($0) }
            let descriptor = try #require(store.descriptors().first)
            #expect(try store.files() == [])
            var status = stat()
            try #require(fstat(descriptor, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600 && status.st_nlink == 0)
            #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
            spool.close()
            #expect(store.descriptors() == [])
            // A source that reacts late finds a spool that takes nothing.
            try [UInt8](repeating: 1, count: 2 * Spool.memoryLimit).withUnsafeBytes { try spool.append($0) }
            #expect(store.descriptors() == [])
        }
    }
    #endif

    @Test func aDirectoryThatIsMissingIsNamed() throws {
        let spool = Spool(directory: URL(filePath: "/nowhere/at/all"))
        let error = #expect(throws: StoreError.self) {
            try [UInt8](repeating: 1, count: 2 * Spool.memoryLimit).withUnsafeBytes { try spool.append($0) }
        }
        #expect(error?.code == .temporaryFile)
        #expect(error?.message.contains("created in /nowhere/at/all: No such file or directory. ") == true)
        #expect(error?.message.contains("StoreOptions.temporaryDirectory") == true)
    }

    #if os(Linux)
    @Test func aFullDiskIsNamed() throws {
        let file = SpoolFile(descriptor: open("/dev/full", O_RDWR | O_CLOEXEC), directory: "/dev")
        let error = #expect(throws: StoreError.self) {
            try [UInt8(1)].withUnsafeBytes { try file.write($0, at: 0) }
        }
        #expect(error?.code == .temporaryFile)
        #expect(error?.message.contains("written in /dev: No space left on device. ") == true)
    }
    #endif

    @Test func withoutAFileOnlySmallStreamsPass() async throws {
        var options = StoreOptions()
        options.temporaryDirectory = URL(filePath: "/nowhere/at/all")
        try await withTestStore(Company.model(), options: options) { container in
            let name = String(repeating: "x", count: 10_000)
            func rows(_ count: Int) -> AsyncStream<[String: String]> {
                AsyncStream { stream in
                    for _ in 0..<count { stream.yield(["firstName": name]) }
                    stream.finish()
                }
            }
            let small = try await container.insert(into: Employee.self, from: rows(90))
            #expect(small.count == 90)
            let error = await #expect(throws: StoreError.self) {
                try await container.insert(into: Employee.self, from: rows(120))
            }
            #expect(error?.code == .temporaryFile)
            let other = await #expect(throws: StoreError.self) {
                try await container.importGraph(
                    from: AsyncStream<Data> { stream in
                        stream.yield(Data(repeating: 0x20, count: 2 << 20))
                        stream.finish()
                    })
            }
            #expect(other?.code == .temporaryFile)
            let count1 = try await container.perform { try $0.count(Employee.self) }
            #expect(count1 == 90)
            try await container.insert(
                into: Employee.self, from: Array(repeating: ["firstName": name], count: 50))
            let third = await #expect(throws: StoreError.self) { try await container.exportGraph { _ in } }
            #expect(third?.code == .temporaryFile)
        }
    }

    @Test func valuesComeBackAsTheyWere() {
        var random = RandomValues(seed: 293)
        for _ in 0..<TestTier.choose(quick: 200, all: 1_000, nightly: 20_000) {
            let values: [Value] = [
                .null, .bool(random.generator.chance(50)), .int(random.integer()), .double(random.double()),
                .float(random.float()), .decimal(random.decimal()), .string(random.string()),
                .date(random.date()), .data(random.data()), .uuid(random.uuid()),
                Value.uri(random.url()).normalized,
                .composite([.null, .string(random.string()), .composite([.double(random.double())])]),
                .array((0..<random.generator.pick([0, 1, 5])).map { _ in .decimal(random.decimal()) }),
                .reference(ObjectReference(key: random.integer(), entity: random.string())),
            ]
            var writer = SpooledValueWriter()
            let flags = (0..<random.generator.pick([0, 1, 7, 8, 9, 40])).map { _ in
                random.generator.chance(50)
            }
            for _ in 0..<2 {
                writer.sized { writer in
                    writer.flags(flags)
                    for value in values { writer.value(value) }
                }
            }
            var reader = SpooledValueReader(writer.bytes)
            for _ in 0..<2 {
                var inner = reader.sized()
                var found = Array(repeating: false, count: flags.count)
                inner.flags(&found)
                #expect(found == flags)
                let read = values.map { _ in inner.value().picture }
                #expect(read == values.map(\.picture))
            }
            #expect(reader.isAtEnd)
        }
    }
}
