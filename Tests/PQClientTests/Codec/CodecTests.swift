import Foundation
import SeededRandom
import Testing

@testable import PQClient

/// Every codec against the server: what is written is what comes back, and what the server says it is.
@Suite struct CodecTests {
    static let seed: UInt64 = 0x5EED_0001

    /// Sends `values` as one array and returns what `decode` makes of the elements, with the server's text.
    private func roundTrip<T, R>(
        _ values: [T], _ type: OID, _ name: String, _ encode: (inout CellWriter, T) throws -> Void,
        _ decode: (Cell) throws -> R
    ) throws -> [(value: R, text: String)] {
        var parameters = Parameters()
        try parameters.appendArray(of: type, count: values.count) { cells in
            for value in values { try encode(&cells, value) }
        }
        let connection = try TestCluster.connect()
        try connection.executeScript(
            "SET extra_float_digits = 1; SET timezone = 'UTC'; SET datestyle = 'ISO'")
        let result = try connection.query(
            "SELECT v, v::text FROM unnest($1::\(name)[]) WITH ORDINALITY AS u(v, n) ORDER BY n", parameters)
        try result.require([type, .text])
        return try result.map { (try decode($0[0]), $0[1].string()) }
    }

    @Test func integersAndBooleans() throws {
        var random = SeededGenerator(seed: Self.seed)
        let wide =
            [0, 1, -1, .max, .min] + (0..<500).map { _ in Int64.random(in: .min ... .max, using: &random) }
        let wideBack = try roundTrip(wide, .int8, "int8", { $0.int64($1) }, { $0.int64 })
        #expect(wideBack.map(\.value) == wide)
        #expect(wideBack.map(\.text) == wide.map(String.init))
        let middle = wide.map { Int32(truncatingIfNeeded: $0) }
        #expect(try roundTrip(middle, .int4, "int4", { $0.int32($1) }, { $0.int32 }).map(\.value) == middle)
        let narrow = wide.map { Int16(truncatingIfNeeded: $0) }
        let narrowBack = try roundTrip(narrow, .int2, "int2", { $0.int16($1) }, { $0.int16 })
        #expect(narrowBack.map(\.value) == narrow)
        #expect(narrowBack.map(\.text) == narrow.map(String.init))
        let booleans = try roundTrip([true, false], .bool, "bool", { $0.bool($1) }, { $0.bool })
        #expect(booleans.map(\.value) == [true, false])
        #expect(booleans.map(\.text) == ["true", "false"])
    }

    @Test func aConditionThatIsNullIsNotTrue() throws {
        let connection = try TestCluster.connect()
        let result = try connection.query("SELECT NULL::boolean, true, false, NULL < 1")
        #expect(result.map { row in (0..<4).map { row[$0].isTrue } } == [[false, true, false, false]])
    }

    @Test func floatingPoint() throws {
        var random = SeededGenerator(seed: Self.seed)
        let edges: [Double] = [
            0, -0.0, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .pi, 1e-300,
        ]
        let doubles = edges + (0..<500).map { _ in Double(bitPattern: random.next()) }.filter { !$0.isNaN }
        let doublesBack = try roundTrip(doubles, .float8, "float8", { $0.double($1) }, { $0.double })
        #expect(doublesBack.map { $0.value.bitPattern } == doubles.map(\.bitPattern))
        #expect(zip(doublesBack, doubles).allSatisfy { Double($0.text) == $1 })
        let floats = doubles.map { Float($0) }
        let floatsBack = try roundTrip(floats, .float4, "float4", { $0.float($1) }, { $0.float })
        #expect(floatsBack.map { $0.value.bitPattern } == floats.map(\.bitPattern))
        let nan = try roundTrip([Double.nan], .float8, "float8", { $0.double($1) }, { $0.double })
        #expect(nan[0].value.isNaN && nan[0].text == "NaN")
    }

    @Test func stringsAndBytes() throws {
        var random = SeededGenerator(seed: Self.seed)
        let alphabet: [Character] = [
            "a", "é", "e\u{301}", "👩‍👩‍👧‍👦", "'", "\"", "\\", "\n", "\u{10FFFF}", "ß", "%",
        ]
        let strings =
            ["", " ", "👍", String(repeating: "x", count: 200_000)]
            + (0..<300).map { _ in
                String(
                    (0..<Int.random(in: 0...40, using: &random)).map { _ in
                        alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                    })
            }
        let back = try roundTrip(strings, .text, "text", { try $0.string($1) }, { $0.string() })
        #expect(zip(back, strings).allSatisfy { $0.value.utf8.elementsEqual($1.utf8) })
        #expect(zip(back, strings).allSatisfy { $0.text.utf8.elementsEqual($1.utf8) })

        let blobs = strings.map { Data($0.utf8) } + [Data([0, 255, 0, 1]), Data()]
        let blobsBack = try roundTrip(blobs, .bytea, "bytea", { $0.data($1) }, { $0.data() })
        #expect(blobsBack.map(\.value) == blobs)
        let bytesBack = try roundTrip(blobs, .bytea, "bytea", { $0.bytes(Array($1)) }, { Data($0.bytes) })
        #expect(bytesBack.map(\.value) == blobs)

        let uuids = (0..<100).map { _ in UUID() }
        let uuidsBack = try roundTrip(uuids, .uuid, "uuid", { $0.uuid($1) }, { $0.uuid })
        #expect(uuidsBack.map(\.value) == uuids)
        #expect(uuidsBack.map(\.text) == uuids.map { $0.uuidString.lowercased() })

        let documents = ["{}", "[1, 2, {\"a\": \"👍\"}]", "\"text\"", "null"]
        let documentsBack = try roundTrip(documents, .jsonb, "jsonb", { try $0.jsonb($1) }, { $0.jsonb() })
        #expect(documentsBack.map(\.value) == documents)
    }

    @Test func nullCharacterIsRefusedAndLeavesTheParametersAsTheyWere() throws {
        var parameters = Parameters()
        parameters.append(7)
        let error = try #require(throws: PostgresError.self) { try parameters.append("a\0b") }
        #expect(error.code == .invalidValue)
        #expect(parameters.count == 1)
        try parameters.append("ok")
        let result = try TestCluster.connect().query("SELECT $1, $2", parameters)
        #expect(result.map { ($0[0].int64, $0[1].string()) }.first.map { $0 == (7, "ok") } == true)
        #expect(throws: PostgresError.self) { try TestCluster.connect().query("SELECT 1 -- \0") }
    }

    @Test func arraysWithNullsAndEmptyArrays() throws {
        let connection = try TestCluster.connect()
        var parameters = Parameters()
        parameters.append([])
        parameters.appendArray(of: .int4, count: 3) { cells in
            cells.int32(1)
            cells.null()
            cells.int32(3)
        }
        parameters.appendNull(.text)
        parameters.append([1, 2])
        let result = try connection.query("SELECT $1::text, $2::text, $3 IS NULL, $4::text", parameters)
        let row = result.map { ($0[0].string(), $0[1].string(), $0[2].bool, $0[3].string()) }
        #expect(row[0] == ("{}", "{1,NULL,3}", true, "{1,2}"))
    }

    @Test func timestamps() throws {
        var random = SeededGenerator(seed: Self.seed)
        let extremes = [Timestamp.earliest, Timestamp.end - 1, 0, -1, 1, 999_999, -999_999]
        let raw =
            extremes
            + (0..<500).map { _ in
                Int64.random(in: -9_000_000_000_000_000...9_000_000_000_000_000, using: &random)
            }
            + (0..<500).map { _ in Int64.random(in: Timestamp.earliest..<Timestamp.end, using: &random) }
        let connection = try TestCluster.connect()
        try connection.executeScript("SET timezone = 'UTC'; SET datestyle = 'ISO'")
        for microseconds in raw {
            let date = Timestamp.date(of: microseconds)
            let again = try Timestamp.microseconds(of: date)
            #expect(Timestamp.date(of: again) == date, "seed \(Self.seed), \(microseconds)")
            if microseconds.magnitude < 1 << 52 {
                #expect(again == microseconds)
                let expected = Double(microseconds - Timestamp.referenceOffset) / 1_000_000
                #expect(date.timeIntervalSinceReferenceDate == expected)
            }
        }
        let dates = raw.map(Timestamp.date(of:))
        let back = try roundTrip(dates, .timestamptz, "timestamptz", { try $0.date($1) }, { $0.date })
        #expect(back.map(\.value) == dates)
        for (date, answer) in zip(dates, back) {
            var parameters = Parameters()
            try parameters.append(.timestamptz) { try $0.date(date) }
            let literal = try SQLLiteral.date(date)
            let isSame = try connection.query("SELECT \(literal) = $1", parameters, cached: false)
            #expect(isSame.scalar(\.bool) == true, "\(literal) \(answer.text)")
        }
    }

    @Test func datesAtTheEdges() throws {
        #expect(try Timestamp.microseconds(of: Date(timeIntervalSinceReferenceDate: 0)) == 31_622_400_000_000)
        let infinite = [Double.infinity, -.infinity].map { Date(timeIntervalSinceReferenceDate: $0) }
        let back = try roundTrip(infinite, .timestamptz, "timestamptz", { try $0.date($1) }, { $0.date })
        #expect(back.map(\.text) == ["infinity", "-infinity"])
        #expect(back.map(\.value) == infinite)
        #expect(Timestamp.date(of: .min).timeIntervalSinceReferenceDate == -.infinity)
        for interval in [Double.nan, 1e18, -1e18, 9.3e12, -2.2e11] {
            #expect(throws: PostgresError.self) {
                try Timestamp.microseconds(of: Date(timeIntervalSinceReferenceDate: interval))
            }
        }
        for (fraction, expected) in [(0.0000005, 1), (-0.0000005, -1), (0.0000004, 0), (0.1234567, 123_457)] {
            let date = Date(timeIntervalSinceReferenceDate: fraction)
            #expect(try Timestamp.microseconds(of: date) - Timestamp.referenceOffset == Int64(expected))
        }
        for date in [Date.distantPast, .distantFuture] { #expect(try Timestamp.rounded(date) == date) }
    }

    @Test func decimals() throws {
        var random = SeededGenerator(seed: Self.seed)
        let edges = [
            "0", "1", "-1", "0.1", "-0.0001", "9999", "10000", "10001", "100000000", "0.00010000", "1e127",
            "1e-127",
            "340282366920938463463374607431768211455", "99999999999999999999999999999999999999", "1.5e-30",
            "12e-1",
            "340282366920938463463374607431768211455e127", "1234567890.0987654321", "1e4", "1e3", "1e-4",
            "1e-5",
        ]
        let generated = (0..<2000).map { _ -> String in
            let digits = (0..<Int.random(in: 1...38, using: &random)).map { _ in
                String(Int.random(in: 0...9, using: &random))
            }
            let sign = Bool.random(using: &random) ? "-" : ""
            return sign + digits.joined() + "e\(Int.random(in: -90...90, using: &random))"
        }
        let decimals = (edges + generated).compactMap { Decimal(string: $0) }
        #expect(decimals.count == edges.count + generated.count)
        #expect(DecimalLayout.isKnown)
        let back = try roundTrip(decimals, .numeric, "numeric", { try $0.decimal($1) }, { try $0.decimal() })
        for (index, (decimal, answer)) in zip(decimals, back).enumerated() {
            #expect(answer.value == decimal, "seed \(Self.seed), number \(index)")
            #expect(
                Decimal(string: answer.text) == decimal, "seed \(Self.seed), \(answer.text) for \(decimal)")
            #expect(answer.value.hashValue == decimal.hashValue)
        }
        let nan = try roundTrip(
            [Decimal.nan], .numeric, "numeric", { try $0.decimal($1) }, { try $0.decimal() })
        #expect(nan[0].value.isNaN && nan[0].text == "NaN")
    }

    @Test func decimalsFromTheServersText() throws {
        let connection = try TestCluster.connect()
        for text in [
            "0.000", "100.00", "-0.00000000000000000000000000000000000001",
            "123456789012345678901234567890.12345678",
            "1e127", "5e-128", "10000.00010000", "-9999.9999",
        ] {
            let result = try connection.query("SELECT '\(text)'::numeric", cached: false)
            #expect(try result.scalar { try $0.decimal() } == Decimal(string: text))
        }
        for text in [
            "1e200", "1e-129", "Infinity", "-Infinity", "1234567890123456789012345678901234567890.5",
        ] {
            let result = try connection.query("SELECT '\(text)'::numeric", cached: false)
            let error = try #require(throws: PostgresError.self) { try result.scalar { try $0.decimal() } }
            #expect(error.code == .invalidValue && error.phase == .decode)
        }
    }

    @Test func cellHasTheLayoutOfTheCStruct() throws {
        #expect(MemoryLayout<Cell>.stride == 16)
        #expect(MemoryLayout<Cell>.offset(of: \.length) == MemoryLayout<UnsafeRawPointer>.size)
        let result = try TestCluster.connect().query("SELECT '', NULL::text, 'a', 2::int8")
        #expect(
            result.map { ($0[0].isNull, $0[1].isNull, $0[2].string(), $0[3].int64) }[0] == (
                false, true, "a", 2
            ))
        #expect(result.columns.map(\.type) == [.text, .text, .text, .int8])
        let error = try #require(throws: PostgresError.self) {
            try result.require([.text, .text, .int4, .int8])
        }
        #expect(error.code == .invalidValue)
        #expect(throws: PostgresError.self) { try result.require([.text]) }
    }
}
