import Foundation
import TestSupport
import Testing

@testable import HowdahModel

/// The text of which a model's checksum is made is the one that Foundation's encoder leads to.
struct CanonicalTextTests {
    /// The same text by Foundation's encoder and decoder.
    private static func oracle(_ value: some Encodable) throws -> String {
        try JSONDecoder().decode(CanonicalJSON.self, from: JSONEncoder().encode(value)).text
    }

    @Test("The texts of models", arguments: 0..<40)
    func models(seed: UInt64) throws {
        for seed in (seed * 10)..<(seed * 10 + 10) {
            let model = try RandomModel.make(seed: seed)
            #expect(try CanonicalJSON(model).text == Self.oracle(model), "seed \(seed)")
        }
    }

    private struct Everything: Encodable {
        var integers: [Int8] = [1, -2]
        var large = Int64.min
        var unsigned: UInt16 = 7
        var whole = 3.0
        var missing: String?
        var nested = ["b": ["é": ["x", "e\u{301}"]], "a": [:]]
        var values: [Value] = [
            .null, .bool(true), .int(.max), .double(0.1), .float(2), .decimal(Decimal(12)),
            .string("\u{0}\"\\/"),
            .date(Date(timeIntervalSince1970: 7)), .data(Data([1, 2])), .uuid(UUID()),
            .composite([.array([.int(1)]), .composite([])]),
        ]
        var empty: [Int] = []
    }

    /// A value with containers inside of its own.
    private struct Nested: Encodable {
        enum Keys: String, CodingKey { case list, object, parent, name }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encode(1)
            var inner = list.nestedContainer(keyedBy: Keys.self)
            try inner.encode("a", forKey: .name)
            var innermost = list.nestedUnkeyedContainer()
            try innermost.encode(true)
            try "b".encode(to: list.superEncoder())
            var object = container.nestedContainer(keyedBy: Keys.self, forKey: .object)
            try object.encode(["c"], forKey: .list)
            try "d".encode(to: container.superEncoder())
            try "e".encode(to: container.superEncoder(forKey: .parent))
        }
    }

    @Test("Containers inside of a value's own")
    func nestedContainers() throws {
        #expect(try CanonicalJSON(Nested()).text == Self.oracle(Nested()))
    }

    @Test("All kinds of values")
    func values() throws {
        let value = Everything()
        #expect(try CanonicalJSON(value).text == Self.oracle(value))
        #expect(try CanonicalJSON("text").text == Self.oracle("text"))
    }

    @Test("Fractions, nil and what is too deep have no text")
    func refusals() {
        #expect(throws: EncodingError.self) { try CanonicalJSON(0.5) }
        #expect(throws: EncodingError.self) { try CanonicalJSON([1, nil] as [Int?]) }
        #expect(throws: EncodingError.self) { try CanonicalJSON(UInt64.max) }
        var value = Value.int(1)
        for _ in 0..<600 { value = .array([value]) }
        #expect(throws: EncodingError.self) { try CanonicalJSON(value) }
    }
}
