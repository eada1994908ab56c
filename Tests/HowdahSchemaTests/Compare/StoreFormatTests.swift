import HowdahSchema
import Testing

@Suite struct StoreFormatTests {
    /// Whether a library of each format may write, only read, or not use the store: w, r or -.
    private static func uses(_ format: StoreFormat, libraries: ClosedRange<Int32>) -> String {
        libraries.map { library in
            if format.refusal(in: "s", library: library) == nil { return "w" }
            return format.refusal(in: "s", library: library, reading: true) == nil ? "r" : "-"
        }.joined()
    }

    @Test func aStoreSaysWhoMayUseIt() {
        let cases: [(StoreFormat, String)] = [
            (StoreFormat(recorded: 1), "wwww"),
            (StoreFormat(recorded: 3), "--ww"),
            (StoreFormat(recorded: 3, readableFrom: 1, writableFrom: 1), "wwww"),
            (StoreFormat(recorded: 3, readableFrom: 1, writableFrom: 3), "rrww"),
            (StoreFormat(recorded: 4, readableFrom: 2, writableFrom: 3), "-rww"),
            (StoreFormat(recorded: 101), "wwww"),
            (StoreFormat(recorded: 102), "-www"),
            (StoreFormat(recorded: 103, readableFrom: 1, writableFrom: 2), "rwww"),
            (StoreFormat(recorded: 0), "----"),
            (StoreFormat(recorded: 1, readableFrom: 1, writableFrom: 2), "rwww"),
            (StoreFormat(recorded: 2, readableFrom: 2, writableFrom: 1), "----"),
            (StoreFormat(recorded: 2, readableFrom: -1, writableFrom: 1), "----"),
        ]
        for (format, expected) in cases {
            #expect(Self.uses(format, libraries: 1...4) == expected, "\(format)")
        }
    }

    @Test func anOverlayKeepsItsLayout() {
        #expect(StoreFormat(recorded: 101).isOverExistingTables && StoreFormat(recorded: 101).number == 1)
        #expect(!StoreFormat(recorded: 100).isOverExistingTables)
        #expect(StoreFormat(recorded: StoreMetadata.formatVersion).refusal(in: "s") == nil)
    }
}
