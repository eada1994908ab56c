import Foundation
import Testing

@testable import HowdahModel

@Suite struct FetchRequestTests {
    @Test func defaultsAreCoreDatas() {
        let request = FetchRequest<Int>()
        #expect(request.entityName == nil && request.predicate == nil && request.sortDescriptors.isEmpty)
        #expect(request.fetchLimit == 0 && request.fetchOffset == 0)
        #expect(
            request.includesSubentities && request.returnsObjectsAsFaults && request.includesPropertyValues)
        #expect(request.relationshipKeyPathsForPrefetching.isEmpty && request.loadsCohorts)
        #expect(FetchRequest<Int>(entityName: "Employee").entityName == "Employee")
    }

    @Test func sortKeysSurviveCoding() throws {
        let keys: [SortKey<Int>] = [.key("a.b"), .key("c", ascending: false)]
        let copy = try JSONDecoder().decode([SortKey<Int>].self, from: JSONEncoder().encode(keys))
        #expect(copy == keys && copy.map(\.isAscending) == [true, false])
        let nameless = SortKey<Int>(complaint: "no name", ascending: true)
        #expect(throws: EncodingError.self) { try JSONEncoder().encode([nameless]) }
    }

    @Test func stringsBecomeNFC() {
        var random = RandomPredicates(seed: 12)
        for _ in 0..<20_000 {
            let scalars = (0..<5).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0x20...0x400, using: &random.generator))
            }
            let text = String(String.UnicodeScalarView(scalars))
            let normalized = text.howdahNormalized
            #expect(normalized.utf8.elementsEqual(text.precomposedStringWithCanonicalMapping.utf8))
            #expect(normalized.howdahNormalized.utf8.elementsEqual(normalized.utf8))
        }
        #expect(Value.composite(["e\u{301}"]).normalized == .composite(["é"]))
    }

    @Test func datesAreRoundedOnceAndForAll() {
        var random = RandomPredicates(seed: 13)
        for magnitude in [1.0, 1e6, 1e9, 4e9, 9e9, 1e11, 9e12] {
            for _ in 0..<5_000 {
                let seconds = Double.random(in: -magnitude...magnitude, using: &random.generator)
                let rounded = Date(timeIntervalSinceReferenceDate: seconds).howdahRoundedToMicroseconds
                #expect(rounded.howdahRoundedToMicroseconds == rounded, "\(seconds)")
                let distance = abs(rounded.timeIntervalSinceReferenceDate - seconds)
                #expect(distance <= 0.5e-6 + seconds.ulp, "\(seconds)")
            }
        }
        for extreme in [Double.infinity, -.infinity, 1e300, .nan] {
            let date = Date(timeIntervalSinceReferenceDate: extreme)
            #expect(date.howdahRoundedToMicroseconds == date || extreme.isNaN)
        }
        #expect(
            Date(timeIntervalSinceReferenceDate: 1 / 128).howdahRoundedToMicroseconds
                == Date(timeIntervalSinceReferenceDate: 0.007813))
    }
}
