import DeclaredModels
import Foundation

extension Shelf {
    /// Gives every attribute a random value; small ones, so that predicates find something.
    func fill(_ number: Int, _ random: inout RandomValues) {
        name = "s\(number)"
        tags = Self.some(&random) { ["a", "b", "ab", "e\u{301}", ""][$0 % 5] }
        oTags = random.optional { random in Self.some(&random) { ["a", "b", "c"][$0 % 3] } }
        flags = Self.some(&random) { $0 % 2 == 0 }
        int16s = Self.some(&random) { Int16($0 % 4) }
        int32s = Self.some(&random) { Int32($0 % 3 == 0 ? Int(Int32.max) : $0) }
        int64s = Self.some(&random) { Int64($0) }
        ints = random.optional { random in Self.some(&random) { $0 - 2 } }
        doubles = Self.some(&random) { [0.5, 1, .nan, -0.0, 3, 0.1][$0 % 6] }
        floats = Self.some(&random) { [0.1, 1, 2.5, .infinity][$0 % 4] }
        decimals = Self.some(&random) { [Decimal(1), 2.5, Decimal(string: "0.1") ?? 0][$0 % 3] }
        dates = Self.some(&random) { Date(timeIntervalSinceReferenceDate: Double($0) + 0.123456) }
        datas = Self.some(&random) { Data(repeating: 7, count: $0) }
        uuids = Self.some(&random) { Self.sampleUUIDs[$0 % 3] }
        urls = Self.some(&random) { Self.sampleURLs[$0 % 3] }
        label = random.optional { random in
            ShelfLabel(
                lines: Self.some(&random) { "\($0)" },
                sizes: random.optional { random in Self.some(&random) { Double($0) } })
        }
    }

    static let sampleUUIDs = (1...3).map { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, $0)) }
    static let sampleURLs = ["a", "b", "c"].compactMap { URL(string: "https://example.org/\($0)") }

    private static func some<T>(_ random: inout RandomValues, _ element: (Int) -> T) -> [T] {
        (0..<Int.random(in: 0...3, using: &random.generator)).map { _ in
            element(.random(in: 0...9, using: &random.generator))
        }
    }
}
