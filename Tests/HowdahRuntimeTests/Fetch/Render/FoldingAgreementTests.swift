import Howdah
import HowdahModel
import HowdahTesting
import PQClient
import TestSupport
import Testing

@Suite struct FoldingAgreementTests {
    /// Letters that any shortcut would get wrong, and ranges of assigned letters that servers of all versions know.
    private static func text(_ random: inout SeededGenerator) -> String {
        let known = [
            "İ", "ı", "I", "i", "ß", "ẞ", "Σ", "σ", "ς", "ΑΣ", "ὈΔΥΣΣΕΎΣ", "ﬁ", "ﬀ", "Æ", "æ", "Œ", "Ø", "đ",
            "Ħ", "ł",
            "Ŧ", "é", "e\u{301}", "\u{301}", "a\u{323}\u{307}", "ǅ", "ŉ", "ΐ", "Å", "\u{212B}", "Ω", "K", "𝐀",
            "𐐀", "😀",
            "👩🏽‍🚀", "각", "ㅎ", "あ", "が", "か\u{3099}", "ศ", "א", "ש\u{5C1}", "ا", "и\u{306}", "Й", "Ꭰ", "ꭰ", "Ⴀ",
            "\\", "'", " ",
            "\n", "ÿ", "ſ", "ﬆ", "Ǆ", "ᾳ", "ᾼ", "ῼ", "ö", "Straße",
        ]
        let ranges: [ClosedRange<UInt32>] = [
            0x20...0x7E, 0xA0...0x24F, 0x300...0x36F, 0x370...0x377, 0x388...0x3FF, 0x400...0x481,
            0x531...0x556,
            0x1E00...0x1EFF, 0x1F00...0x1F15, 0x1F80...0x1FB4, 0x2160...0x2188, 0x24B6...0x24E9,
            0x2C00...0x2C2E,
            0xFF21...0xFF5A, 0x10400...0x1044F, 0x1D400...0x1D454, 0x4E00...0x4E80, 0xAC00...0xAC80,
        ]
        return (0..<Int.random(in: 0...8, using: &random)).map { _ in
            if random.chance(40) { return random.pick(known) }
            return Unicode.Scalar(UInt32.random(in: random.pick(ranges), using: &random)).map { String($0) }
                ?? ""
        }.joined()
    }

    @Test func serverAndSwiftFoldAlike() async throws {
        let model = try ManagedObjectModel(entities: [EntityDescription("A")])
        try await withStore(model) { _, sql in
            var random = SeededGenerator(seed: 20_260_714)
            let texts = (0..<6_000).map { _ in Self.text(&random) }
            let connection = try Connection(ConnectionConfiguration(sql.url))
            defer { connection.close() }
            var parameters = Parameters()
            try parameters.appendArray(of: .text, count: texts.count) { cells in
                for text in texts { try cells.string(text) }
            }
            let result = try connection.query(
                "SELECT _howdah_fold_c_1(t), _howdah_fold_cd_1(t), _howdah_fold_cd_1(_howdah_fold_cd_1(t)), "
                    + "_howdah_fold_c_1(NULL), _howdah_fold_d_1(t) FROM unnest($1) WITH ORDINALITY AS u(t, n) ORDER BY n",
                parameters)
            var folded = 0
            for (index, text) in texts.enumerated() {
                let row = result.row(index)
                let (c, cd) = (
                    Folding.folded(text, .caseInsensitive),
                    Folding.folded(text, [.caseInsensitive, .diacriticInsensitive])
                )
                #expect(
                    Array(row[0].string().unicodeScalars) == Array(c.unicodeScalars),
                    "[c] \(text.debugDescription)")
                #expect(
                    Array(row[1].string().unicodeScalars) == Array(cd.unicodeScalars),
                    "[cd] \(text.debugDescription)")
                #expect(row[2].string() == row[1].string(), "twice \(text.debugDescription)")
                #expect(row[3].isNull)
                let d = Folding.folded(text, .diacriticInsensitive)
                #expect(
                    Array(row[4].string().unicodeScalars) == Array(d.unicodeScalars),
                    "[d] \(text.debugDescription)")
                if c != text, cd != c { folded += 1 }
            }
            #expect(folded > 1_000)
        }
    }

    /// An index over the function serves, so the planner sees through it and takes it for immutable.
    @Test func theFunctionsCanBeIndexed() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription("A", properties: [.attribute("name", .string)])
        ])
        try await withStore(model) { _, sql in
            try sql.rows("CREATE INDEX ON a (_howdah_fold_cd_1(name))")
            try sql.rows("INSERT INTO a (name) SELECT 'É' || n FROM generate_series(1, 10000) n")
            try sql.rows("ANALYZE a")
            let plan = try sql.rows("EXPLAIN SELECT 1 FROM a WHERE _howdah_fold_cd_1(name) = 'e77'")
            #expect(plan.joined().contains { $0?.contains("Index") == true })
            #expect(try sql.value("SELECT name FROM a WHERE _howdah_fold_cd_1(name) = 'e77'") == "É77")
        }
    }
}
