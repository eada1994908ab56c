import SeededRandom
import Testing

@testable import HowdahModel

/// Snapshots against sets of ids, which see what they contain.
struct StoreSnapshotTests {
    private static let bound: UInt64 = 24

    /// Returns a random snapshot of small ids.
    private static func snapshot(_ random: inout SplitMix64) -> StoreSnapshot {
        let xmax = UInt64(random.integer(1, Int64(bound)))
        let ids = (1..<max(xmax, 1)).filter { _ in random.chance(1, in: 3) }
        guard let snapshot = StoreSnapshot(xmax: xmax, inProgress: Array(ids)) else {
            preconditionFailure("The ids are not ascending.")
        }
        return snapshot
    }

    private static func seen(_ snapshot: StoreSnapshot) -> Set<UInt64> {
        Set((1..<bound + 2).filter(snapshot.sees))
    }

    @Test func snapshotsSurviveTheirTexts() {
        var random = SplitMix64(seed: 1)
        for _ in 0..<5_000 {
            let snapshot = Self.snapshot(&random)
            #expect(StoreSnapshot(snapshot.description) == snapshot)
        }
        #expect(StoreSnapshot("10:20:10,14,15")?.inProgress == [10, 14, 15])
        #expect(StoreSnapshot("5:5:")?.xmin == 5)
        #expect(StoreSnapshot("10:20:10")?.description == "10:20:10")
    }

    @Test(arguments: [
        "", ":", "::", "1:1", "0:0:", "2:1:", "1:5:5", "1:5:0", "1:5:3,3", "1:5:3,2", "1:5:1,", "+1:5:",
        "01:5:",
        "1:5:+2", "1:5: 2", "4:9:3", "a:b:", "1:18446744073709551616:", "1:5::",
    ])
    func otherTextsAreNoSnapshots(text: String) { #expect(StoreSnapshot(text) == nil) }

    @Test func snapshotsSeeWhatTheirSetsContain() {
        var random = SplitMix64(seed: 2)
        for _ in 0..<20_000 {
            let (one, other) = (Self.snapshot(&random), Self.snapshot(&random))
            let (first, second) = (Self.seen(one), Self.seen(other))
            #expect(Self.seen(one.intersection(other)) == first.intersection(second))
            #expect(one.sees(allOf: other) == first.isSuperset(of: second), "\(one) \(other)")
            let id = UInt64(random.integer(1, Int64(Self.bound)))
            #expect(Self.seen(one.excluding(id)) == first.subtracting([id]))
        }
    }

    /// A purge truncates rows of transactions that its look sees, up to the greatest of them.
    @Test func tokensAreServedIfNothingUnseenWasPurged() {
        var random = SplitMix64(seed: 3)
        var (served, expired) = (0, 0)
        for _ in 0..<50_000 {
            let (token, look) = (Self.snapshot(&random), Self.snapshot(&random))
            let purged = Self.seen(look).filter { _ in random.chance(1, in: 2) }
            let top = purged.max() ?? 0
            let isServed = token.isServed(purgedUpTo: top, at: look)
            let mayMiss = !purged.allSatisfy(token.sees)
            if isServed { #expect(!mayMiss, "\(token) \(look) \(purged)") }
            // Any of the visible ids up to the greatest may have been among them.
            let visible = Self.seen(look).filter { $0 <= top }
            #expect(isServed == (token.xmax > top && visible.allSatisfy(token.sees)))
            if isServed { served += 1 } else { expired += 1 }
        }
        #expect(served > 1_000 && expired > 1_000)
    }

    @Test func theBeginningIsServedAndKeepsWhatItCan() {
        var random = SplitMix64(seed: 4)
        for _ in 0..<50_000 {
            let (deleted, look) = (Self.snapshot(&random), Self.snapshot(&random))
            let top = Self.seen(look).filter { _ in random.chance(1, in: 2) }.max() ?? 0
            let start = StoreSnapshot.beginning(deleted: deleted, purgedUpTo: top, at: look)
            #expect(start.isServed(purgedUpTo: top, at: look))
            #expect(start.sees(allOf: deleted))
            let expected = Self.seen(deleted).union(Self.seen(look).filter { $0 <= top })
            #expect(Self.seen(start) == expected, "\(deleted) \(look) \(top): \(start)")
        }
    }

    /// A forgotten transaction is older than everything that was purged since.
    @Test func aTransactionInProgressDoesNotExpireTokens() throws {
        let token = try #require(StoreSnapshot("5:100:5"))
        #expect(token.isServed(purgedUpTo: 90, at: try #require(StoreSnapshot("5:200:5"))))
        #expect(!token.isServed(purgedUpTo: 90, at: try #require(StoreSnapshot("200:200:"))))
        #expect(!token.isServed(purgedUpTo: 100, at: try #require(StoreSnapshot("5:200:5"))))
    }
}
