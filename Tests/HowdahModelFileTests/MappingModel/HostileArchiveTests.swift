import Foundation
import HowdahModel
import TestSupport
import Testing

@testable import HowdahModelFile

struct HostileArchiveTests {
    private static func complaint(_ bytes: [UInt8]) -> String? {
        do {
            _ = try ArchivedExpression.read(bytes)
            return nil
        } catch {
            return error.message
        }
    }

    private static let sample = ArchiveWriter.archive {
        let call = $0.function(
            $0.variable("manager"), "destinationInstancesForEntityMappingNamed:sourceInstances:",
            [$0.text("AToB"), $0.source("a.b.c")])
        let test = $0.comparison($0.source("x"), 4, $0.constant(.real(2.5)))
        return $0.ternary(test, call, $0.aggregate([$0.constant(.integer(3)), $0.text("größer")]))
    }

    @Test func everyTruncationIsOneError() {
        #expect(Self.complaint(Self.sample) == nil)
        for count in 0..<Self.sample.count {
            #expect(Self.complaint(Array(Self.sample.prefix(count))) != nil, "\(count) bytes")
        }
    }

    @Test func changedBytesAreReadOrRefused() {
        let rounds = TestTier.choose(quick: 4_000, all: 20_000, nightly: 20_000)
        var generator = SeededGenerator(seed: 20_261_121)
        var refused = 0
        for _ in 0..<rounds {
            var bytes = Self.sample
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[place] =
                    Bool.random(using: &generator)
                    ? UInt8.random(in: 0...255, using: &generator)
                    : bytes[place] ^ (1 << UInt8.random(in: 0...7, using: &generator))
            }
            guard let message = Self.complaint(bytes) else { continue }
            refused += 1
            #expect(message.utf8.count < 2_000 && message.hasSuffix("."))
        }
        // Most changes hit something; some only another letter of a name.
        #expect(refused > rounds / 2 && refused < rounds)
    }

    @Test func noiseIsRefused() {
        var generator = SeededGenerator(seed: 7)
        for size in [0, 1, 8, 39, 40, 41, 200, 5_000] {
            for _ in 0..<200 {
                let noise = (0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) }
                #expect(Self.complaint(noise) != nil)
                #expect(Self.complaint(Array("bplist00".utf8) + noise) != nil)
            }
        }
    }

    @Test func objectsThatContainThemselvesEnd() {
        let message = Self.complaint(
            ArchiveWriter.archive { writer in
                // The class comes first, so that the object's own number is known.
                _ = writer.add("NSAggregateExpression", [])
                let list = writer.nextUID
                let member = writer.add("NSArray", [("NS.objects", .array([.uid(list + 2)]))])
                // The class of the array took one number, the array the next.
                return writer.add("NSAggregateExpression", [("NSCollection", member)])
            })
        #expect(message?.contains("contains itself") == true, "\(message ?? "read")")
    }

    @Test func deepNestingAndSharedObjectsAreBounded() {
        let deep = Self.complaint(
            ArchiveWriter.archive { writer in
                var inner = writer.source("a")
                for _ in 0..<200 { inner = writer.predicateFunction("negate:", [inner]) }
                return inner
            })
        #expect(deep?.contains("nested deeper") == true, "\(deep ?? "read")")
        // Two to the fortieth expressions in forty objects.
        let shared = Self.complaint(
            ArchiveWriter.archive { writer in
                var inner = writer.source("a")
                for _ in 0..<40 { inner = writer.predicateFunction("add:to:", [inner, inner]) }
                return inner
            })
        #expect(shared == ArchiveFault.tooLarge.message)
    }

    @Test func hugeCountsTakeNoMemory() {
        // An array that says it has 2 to the 40 members.
        var list = Array("bplist00".utf8) + [0xAF, 0x13, 0, 0, 1, 0, 0, 0, 0, 0]
        list += [8] + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 1] + Array(repeating: 0, count: 8)
        list += [0, 0, 0, 0, 0, 0, 0, 18]
        #expect(Self.complaint(list) == ArchiveFault.truncated.message)
        // A trailer that says there are 2 to the 63 objects.
        var many = Self.sample
        many[many.count - 24] = 0x80
        #expect(Self.complaint(many) == ArchiveFault.truncated.message)
        #expect(Self.complaint(Array(repeating: 0, count: (1 << 20) + 1)) == ArchiveFault.tooLarge.message)
    }

    @Test func oneLongTextUnderManyKeysIsReadOnce() {
        let long = String(repeating: "a", count: 100_000)
        let message = Self.complaint(
            ArchiveWriter.archive { writer in
                let text = writer.add(.string(long))
                let constant = writer.constant(text)
                return writer.aggregate(Array(repeating: constant, count: 5_000))
            })
        #expect(message == ArchiveFault.tooLarge.message)
    }

    @Test func listsOfFoundationAreReadAlike() throws {
        let original: [String: Any] = [
            "text": "plain", "wide": "Ünïcode 🏔", "number": 1 << 40, "negative": -5, "real": 2.25,
            "flag": true, "data": Data([1, 2, 3]), "long": String(repeating: "x", count: 500),
        ]
        let data = try PropertyListSerialization.data(fromPropertyList: original, format: .binary, options: 0)
        var list = try BinaryPropertyList(Array(data))
        guard case .dictionary(let keys, let values) = try list.node(list.top) else {
            Issue.record("no dictionary")
            return
        }
        var read: [String: BinaryPropertyList.Node] = [:]
        for (key, value) in zip(keys, values) {
            guard case .string(let name) = try list.node(key) else { continue }
            read[name] = try list.node(value)
        }
        #expect(
            read == [
                "text": .string("plain"), "wide": .string("Ünïcode 🏔"), "number": .integer(1 << 40),
                "negative": .integer(-5), "real": .real(2.25), "flag": .boolean(true),
                "data": .data([1, 2, 3]), "long": .string(String(repeating: "x", count: 500)),
            ])
    }

    /// The file around the archives: whatever is changed, it is read or refused with a place or a reason.
    @Test func changedFilesAreReadOrRefused() throws {
        var text = MappingText()
        let label = text.attribute("label", expression: Self.sample)
        let items = text.relationship("items", mapping: "ItemToThing", keyPath: "$source.a.b")
        text.entity(
            1, from: "Box", to: "Crate", filter: "size &gt; 1", attributes: [label], relationships: [items])
        let original = Array(text.text.utf8)
        let rounds = TestTier.choose(quick: 500, all: 2_000, nightly: 2_000)
        var generator = SeededGenerator(seed: 38)
        var refused = 0
        for _ in 0..<rounds {
            var bytes = original
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: place)
                default: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &generator)], at: place)
                }
            }
            do {
                var reader = MappingModelReader(try StoreDocument(reading: Data(bytes)))
                _ = try reader.contents()
            } catch {
                refused += 1
                #expect(error.message.utf8.count < 10_000 && error.message.hasSuffix("."))
            }
        }
        #expect(refused > rounds / 2)
    }
}
