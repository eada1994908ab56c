import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Whoever knows the form can forge a cursor with its checksum; what the server cannot take of it is an invalid cursor.
@Suite struct ForgedCursorTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Reading",
                properties: [
                    .attribute("at", .date), .attribute("amount", .decimal), .attribute("factor", .double),
                    .attribute("count", .integer32), .attribute("text", .string), .attribute("mark", .uuid),
                    .attribute("isGood", .boolean), .attribute("place", .uri),
                ])
        ])
    }

    @Test func randomValuesNeverFailOtherwise() async throws {
        try await withStore(Self.model()) { container, _ in
            try await container.perform { context in
                for number in 0..<3 {
                    let reading = context.insert("Reading")
                    reading["at"] = Date(timeIntervalSince1970: Double(number))
                    reading["amount"] = Decimal(number)
                    reading["factor"] = Double(number)
                    reading["count"] = number
                    reading["text"] = "\(number)"
                    reading["mark"] = UUID()
                    reading["isGood"] = true
                    reading["place"] = URL(string: "https://example.org/\(number)")
                }
                try context.save()
                var random = SeededGenerator(seed: 17)
                var refusals = 0
                for name in ["at", "amount", "factor", "count", "text", "mark", "isGood", "place"] {
                    var request = FetchRequest<ManagedObject>(entityName: "Reading")
                    request.sortDescriptors = [.key(name)]
                    request.fetchLimit = 1
                    let cursor = try #require(try context.fetchPage(request).next)
                    for round in 0..<40 {
                        let value = Self.value(round, &random)
                        do {
                            _ = try context.fetchPage(request, after: Self.forged(cursor, value))
                        } catch let error as FetchError {
                            refusals += 1
                            #expect(error.code == .invalidCursor, "\(name), \(value): \(error)")
                        }
                    }
                }
                #expect(refusals > 50)
            }
        }
    }

    /// Any bytes, and the far ends of eight of them, which are out of range for a date.
    private static func value(_ round: Int, _ random: inout SeededGenerator) -> [UInt8] {
        switch round {
        case 0: return Self.bytes(UInt64(Int64.max - 1))
        case 1: return Self.bytes(UInt64(bitPattern: Int64.min + 1))
        case 2: return Self.bytes(Double.nan.bitPattern)
        default:
            let length = [0, 1, 2, 4, 8, 16, 20][Int.random(in: 0..<7, using: &random)]
            return (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
    }

    /// The cursor with another value of the first sort key, and the checksum that belongs to it.
    private static func forged(_ cursor: PageCursor, _ value: [UInt8]) throws -> PageCursor {
        let padding = String(repeating: "=", count: (4 - cursor.text.utf8.count % 4) % 4)
        let text = cursor.text.replacing("-", with: "+").replacing("_", with: "/") + padding
        let bytes = [UInt8](try #require(Data(base64Encoded: text)))
        let length = bytes[9..<13].reduce(0) { $0 << 8 | Int($1) }
        var forged = Array(bytes[..<9])
        forged += Self.bytes(UInt64(value.count)).suffix(4) + value + bytes[(13 + length)..<(bytes.count - 8)]
        forged += Self.bytes(forged.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
        let encoded = Data(forged).base64EncodedString()
        return PageCursor(
            encoded.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: ""))
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
}
