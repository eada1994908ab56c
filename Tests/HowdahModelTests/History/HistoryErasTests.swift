import Testing

@testable import HowdahModel

/// A snapshot of an earlier era is limited by each heartbeat since.
struct HistoryErasTests {
    private static func era(_ start: Int64) -> HistoryEra { HistoryEra(timeline: 1, start: start) }

    private static func snapshot(_ text: String) -> StoreSnapshot {
        guard let snapshot = StoreSnapshot(text) else { preconditionFailure("\(text) is not a snapshot.") }
        return snapshot
    }

    private static let eras = HistoryEras(
        present: era(4), latest: era(3), heartbeat: snapshot("90:100:90"),
        ends: [
            era(1): .init(next: era(2), heartbeat: snapshot("50:60:50")),
            era(2): .init(next: era(3), heartbeat: snapshot("40:80:40")),
            era(7): .init(next: era(8), heartbeat: snapshot("70:70:")),
            era(8): .init(next: era(7), heartbeat: snapshot("70:70:")),
        ])

    @Test func eachEraOnTheWayLimitsTheSnapshot() {
        let full = Self.snapshot("200:200:")
        #expect(Self.eras.rewound(full, of: Self.era(4)) == full)
        #expect(Self.eras.rewound(full, of: Self.era(3)) == Self.snapshot("90:100:90"))
        #expect(Self.eras.rewound(full, of: Self.era(2)) == Self.snapshot("40:80:40"))
        // The heartbeat of the second era alone would take the ids from 60 on for those that were lost.
        #expect(Self.eras.rewound(full, of: Self.era(1)) == Self.snapshot("40:60:40,50"))
        #expect(Self.eras.rewound(Self.snapshot("30:45:30"), of: Self.era(1)) == Self.snapshot("30:45:30,40"))
    }

    @Test func unknownErasAndCirclesAreNotServed() {
        let snapshot = Self.snapshot("20:20:")
        for start: Int64 in [0, 5, 7, 8] { #expect(Self.eras.rewound(snapshot, of: Self.era(start)) == nil) }
    }
}
