import Foundation
import SeededRandom
import Testing

@testable import HowdahModel

struct HistoryTokenTests {
    private static func uuid(_ random: inout SplitMix64) -> UUID {
        let bytes = random.bytes(16)
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    private static func snapshot(_ random: inout SplitMix64) -> StoreSnapshot {
        let xmax = random.next() >> UInt64(1 + random.below(62)) | 1
        var ids: Set<UInt64> = []
        for _ in 0..<random.below(5) where xmax > 2 { ids.insert(1 + random.next() % (xmax - 1)) }
        guard let snapshot = StoreSnapshot(xmax: xmax, inProgress: ids.sorted()) else {
            preconditionFailure("The ids are not ascending.")
        }
        return snapshot
    }

    private static func token(_ random: inout SplitMix64) -> HistoryToken {
        let era = HistoryEra(
            timeline: UInt32(truncatingIfNeeded: random.next() >> UInt64(32 + random.below(32))),
            start: random.integer(-5, 3_000_000_000_000_000))
        let page =
            random.chance(1, in: 2)
            ? HistoryToken.Page(
                end: snapshot(&random), number: random.integer(-1, .max - 1),
                part: Int32(random.integer(0, Int64(Int32.max))))
            : nil
        return HistoryToken(
            store: UInt32(truncatingIfNeeded: random.next()), incarnation: uuid(&random), era: era,
            snapshot: snapshot(&random), page: page)
    }

    @Test func tokensSurviveTheirTextsAndJSON() throws {
        var random = SplitMix64(seed: 1)
        for _ in 0..<3_000 {
            let token = Self.token(&random)
            #expect(HistoryToken(token.description) == token)
            #expect(token.description.utf8.allSatisfy { "-_.".utf8.contains($0) || isalnum(Int32($0)) != 0 })
            #expect(
                try JSONDecoder().decode([HistoryToken].self, from: JSONEncoder().encode([token])) == [token])
        }
    }

    /// A token has one text: each text that is read as a token is the text of that token.
    @Test func alteredTextsAreRefusedOrOtherTokens() {
        var random = SplitMix64(seed: 2)
        let alphabet = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+/= h1")
        var refused = 0
        for _ in 0..<20_000 {
            var text = Array(Self.token(&random).description)
            for _ in 0...random.below(3) {
                switch random.below(3) {
                case 0: text[random.below(text.count)] = random.pick(alphabet)
                case 1: text.remove(at: random.below(text.count))
                default: text.insert(random.pick(alphabet), at: random.below(text.count + 1))
                }
            }
            guard let token = HistoryToken(String(text)) else {
                refused += 1
                continue
            }
            #expect(token.description == String(text))
        }
        #expect(refused > 5_000)
        for text in ["", "h1.", "h1.AAAA", "h2.AAAA", "h1.\u{0}"] { #expect(HistoryToken(text) == nil) }
        for _ in 0..<20_000 {
            let bytes = random.bytes(random.below(80))
            if let token = HistoryTokenBytes.decoded(bytes) {
                #expect(HistoryTokenBytes.encoded(token) == bytes)
            }
        }
    }

    /// Nobody has given out such a token, and a place after it could not be computed.
    @Test func placesThatNoHistoryHasAreRefused() throws {
        var random = SplitMix64(seed: 3)
        let token = Self.token(&random)
        func text(xmax: UInt64, end: UInt64, number: Int64, part: Int32) throws -> String {
            HistoryToken(
                store: token.store, incarnation: token.incarnation, era: token.era,
                snapshot: try #require(StoreSnapshot(xmax: xmax)),
                page: HistoryToken.Page(
                    end: try #require(StoreSnapshot(xmax: end)), number: number, part: part)
            ).description
        }
        let greatest = UInt64(Int64.max)
        #expect(HistoryToken(try text(xmax: greatest, end: greatest, number: .max - 1, part: .max)) != nil)
        #expect(HistoryToken(try text(xmax: greatest, end: greatest, number: .max, part: .max)) == nil)
        #expect(HistoryToken(try text(xmax: greatest, end: greatest, number: -2, part: 0)) == nil)
        #expect(HistoryToken(try text(xmax: greatest, end: greatest, number: 1, part: -1)) == nil)
        #expect(HistoryToken(try text(xmax: greatest + 1, end: greatest, number: 1, part: 0)) == nil)
        #expect(HistoryToken(try text(xmax: greatest, end: greatest + 1, number: 1, part: 0)) == nil)
        #expect(HistoryToken(try text(xmax: 1 << 62, end: greatest, number: 1, part: 0)) == nil)
    }

    @Test func tokensAreShort() throws {
        let era = HistoryEra(timeline: 1, start: 1_764_264_000_000_000)
        let snapshot = try #require(StoreSnapshot(xmax: 5_000_000, inProgress: [4_999_990, 4_999_995]))
        let token = HistoryToken(store: 7, incarnation: UUID(), era: era, snapshot: snapshot)
        #expect(token.description.utf8.count <= 60)
    }

    @Test func erasSurviveTheirTexts() {
        #expect(HistoryEra(timeline: 10, start: 5).description == "0000000A/5")
        var random = SplitMix64(seed: 3)
        for _ in 0..<2_000 {
            let era = Self.token(&random).era
            #expect(HistoryEra(era.description) == era)
        }
        for text in [
            "", "/", "1/5", "0000000a/5", "0000000A/05", "0000000A/+5", "0000000A/", "000000000A/5",
            "0000000G/5",
        ] {
            #expect(HistoryEra(text) == nil)
        }
    }

    @Test func anEdgeIsKeptUntilItIsFlushed() throws {
        func edge(_ xmax: UInt64) throws -> HistoryEdge {
            HistoryEdge(snapshot: try #require(StoreSnapshot(xmax: xmax)), position: "0/\(xmax)")
        }
        let (old, new) = (try edge(1), try edge(2))
        func toKeep(_ kept: HistoryEdge?, _ isKeptFlushed: Bool, _ isCurrentFlushed: Bool) -> HistoryEdge? {
            HistoryEdge.toKeep(
                kept, isKeptFlushed: isKeptFlushed, current: new, isCurrentFlushed: isCurrentFlushed)
        }
        #expect(toKeep(old, false, true) == nil)
        #expect(toKeep(nil, false, false) == new)
        #expect(toKeep(old, false, false) == old)
        #expect(toKeep(old, true, false) == new)
        // After another checkpoint, a crash may have taken the edge back.
        func edge(_ edge: HistoryEdge, at checkpoint: String) -> HistoryEdge {
            HistoryEdge(snapshot: edge.snapshot, position: edge.position, checkpoint: checkpoint)
        }
        func toKeep(_ kept: HistoryEdge, _ current: HistoryEdge) -> HistoryEdge? {
            HistoryEdge.toKeep(kept, isKeptFlushed: false, current: current, isCurrentFlushed: false)
        }
        #expect(toKeep(edge(old, at: "0/1"), edge(new, at: "0/1")) == edge(old, at: "0/1"))
        #expect(toKeep(edge(old, at: "0/1"), edge(new, at: "0/2")) == edge(new, at: "0/2"))
        #expect(toKeep(old, edge(new, at: "0/2")) == old, "known to be flushed")
    }
}
