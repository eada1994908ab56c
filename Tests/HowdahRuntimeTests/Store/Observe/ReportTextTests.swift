import Foundation
import Howdah
import Testing

@testable import HowdahRuntime

/// The text of a report, whatever is in its statements and however large its numbers are.
@Suite struct ReportTextTests {
    private static func lines(_ report: StoreReport) -> [String] {
        report.description.components(separatedBy: .newlines)
    }

    private static func slow(_ text: String, _ count: Int, _ time: Duration) -> StoreReport.SlowStatement {
        var statement = StoreReport.SlowStatement(text: text)
        (statement.count, statement.longestTime) = (count, time)
        return statement
    }

    /// Your own SQL can have lines, and a batch has many texts.
    @Test func eachStatementIsOneBoundedLine() throws {
        var report = StoreReport()
        let texts = [
            "SELECT 1\n  FROM a\r\n\tWHERE b", "SELECT '\u{0}\u{1B}[2J\u{2028}\u{202E}'", "",
            "SELECT " + String(repeating: "x", count: 100_000),
            "SELECT" + String(repeating: "\n", count: 9_999),
        ]
        report.slowStatements = texts.map { Self.slow($0, 1, .seconds(1)) }
        let lines = Self.lines(report)
        #expect(lines.count == 3 + 2 + texts.count)
        #expect(lines[5] == "   1   1000.0 ms  SELECT 1 FROM a WHERE b")
        #expect(lines[6] == "   1   1000.0 ms  SELECT ' [2J '")
        #expect(lines[7] == "   1   1000.0 ms  ")
        #expect(lines[8].count == 18 + 200 && lines[8].hasSuffix("x…"))
        #expect(lines[9] == "   1   1000.0 ms  SELECT…")
        // The value has the whole text.
        let json = try #require(try JSONSerialization.jsonObject(with: report.json()) as? [String: Any])
        let statements = try #require(json["slowStatements"] as? [[String: Any]])
        #expect(statements.compactMap { $0["text"] as? String } == texts)
    }

    @Test(arguments: [1, 999, 1_000_000, 987_654_321_012])
    func columnsAreAlignedForNumbersOfAnySize(_ number: Int) throws {
        var report = StoreReport()
        for (name, number) in [("a A.swift:1", number), ("b", 1)] {
            var site = StoreReport.Site(name: name)
            (site.roundTrips, site.rows, site.cohortSteps) = (number, number, number)
            site.time = .milliseconds(number)
            report.sites.append(site)
            var load = StoreReport.CohortLoad(name: name)
            (load.steps, load.objects) = (number, number)
            report.cohortLoads.append(load)
            report.slowStatements.append(Self.slow(name, number, .milliseconds(number)))
        }
        let lines = Self.lines(report)
        for (first, last) in [(4, "call site"), (8, "loads of"), (12, "statement")] {
            try #require(lines.count > first + 2)
            #expect(lines[first - 1] == "" && lines[first].hasSuffix("  \(last)"))
            let start = lines[first].count - last.count
            for (line, name) in zip(lines[(first + 1)...], ["a A.swift:1", "b"]) {
                #expect(line.dropFirst(start) == name, "\(line)")
                #expect(line.prefix(start).hasSuffix("  "), "\(line)")
                // No two numbers touch each other.
                let words = line.prefix(start).replacing(" ms", with: "").split(separator: " ")
                #expect(words.count == (first == 4 ? 4 : 2), "\(line)")
            }
        }
    }
}
