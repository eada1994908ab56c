import Foundation
import HowdahModel
import HowdahRuntime
import TestSupport
import Testing

@testable import HowdahBrowse

/// Dates in filters, as people type them.
@Suite struct FilterDatesTests {
    @Test(
        arguments: [
            ("at == 2001-01-01", "at == CAST(0, 'NSDate')"),
            ("at >= 2001-01-02T00:00:01Z AND x < 3", "at >= CAST(86401, 'NSDate') AND x < 3"),
            ("at >= 2001-01-01 01:00:00+01", "at >= CAST(0, 'NSDate')"),
            (
                "at IN {2001-01-01T01:00-00:30, 2001-01-02}",
                "at IN {CAST(5400, 'NSDate'), CAST(86400, 'NSDate')}"
            ),
            ("at<2000-12-31T23:59:59.5Z", "at<CAST(-0.500000, 'NSDate')"),
            ("at > 2001-01-01T00:00:00.000001+00", "at > CAST(0.000001, 'NSDate')"),
            // The server counts days by one calendar, also before 1582.
            ("at == 0001-01-01", "at == CAST(-63113904000, 'NSDate')"),
            (
                #"name == "2001-01-01" OR b == 'a\' 2001-01-01'"#,
                #"name == "2001-01-01" OR b == 'a\' 2001-01-01'"#
            ),
            ("a.b2001-01-01 == 12001-01-01 - 1", "a.b2001-01-01 == 12001-01-01 - 1"),
            ("at == 2001-01-01-5", "at == 2001-01-01-5"), ("at == ٢٠٠١-٠١-٠١", "at == ٢٠٠١-٠١-٠١"),
        ])
    func datesAreCasts(typed: String, format: String) throws {
        #expect(try FilterDates(typed).format == format)
    }

    @Test(
        "A date that no calendar has is refused, with its text",
        arguments: ["2026-02-30", "2026-01-01T25:00"])
    func wrongDates(date: String) throws {
        let error = #expect(throws: PredicateTreeError.self) { try FilterDates("at < \(date)") }
        #expect(error?.message.contains("'\(date)' is not a date") == true)
    }

    @Test("The mark of a mistake after a date is at the place that was typed")
    func placesAreThoseThatWereTyped() throws {
        let dates = try FilterDates("ä == 2001-01-01 AND b == 2001-01-02 x")
        let format = dates.format
        for word in ["AND", "b ==", " x"] {
            let written = try #require(format.range(of: word)).lowerBound
            let typed = try #require("ä == 2001-01-01 AND b == 2001-01-02 x".range(of: word)).lowerBound
            let place = dates.typed(format.utf8.distance(from: format.startIndex, to: written))
            #expect(
                place
                    == "ä == 2001-01-01 AND b == 2001-01-02 x".utf8.distance(
                        from: "ä == 2001-01-01 AND b == 2001-01-02 x".startIndex, to: typed))
        }
        #expect(dates.typed(10) == 6)
    }

    @Test("A table is filtered by a typed date, and its Swift has dates as arguments")
    func tablesAreFiltered() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription("Visit", properties: [.attribute("at", .date)])
        ])
        try await withTestStore(model) { container in
            try await container.perform { context in
                for day in 0..<4 {
                    context.insert("Visit")["at"] = Date(timeIntervalSinceReferenceDate: Double(day) * 86_400)
                }
                try context.save()
            }
            let site = BrowseSite(container) { _ in .read }
            func text(_ filter: String, _ status: Int = 200) async throws -> String {
                try await site.text("/objects/Visit?where=\(FormText.encoded(filter))", status: status)
            }
            let found = try await text("at >= 2001-01-02 AND at < 2001-01-04T00:00:00Z")
            #expect(found.contains("2 objects"))
            #expect(found.contains("at &gt;= 2001-01-02 AND"))
            let dates = [86_400, 259_200].map { "Date(timeIntervalSinceReferenceDate: \($0))" }
            #expect(
                found.contains(
                    ".format(&quot;at &gt;= %@ AND at &lt; %@&quot;, \(dates.joined(separator: ", ")))"))
            #expect(found.contains("let value1 = \(dates[0])") && found.contains("$0.at! &gt;= value1"))
            let wrong = try await text("at >= 2001-01-02 AND when > 1", 400)
            #expect(wrong.contains("<mark>when</mark>") || wrong.contains(">when<"))
            let odd = try await text("at >= 2001-13-02", 400)
            #expect(odd.contains("is not a date"))
            let words = try await text("at > \"1. June 2001\"", 400)
            #expect(words.contains("A date is written as 2026-11-29"))
            #expect(try await text("at > 2001", 400).contains(">at &gt; 2001-01-01</a>?"))
            let midnight = try await text("at = 2001-01-05")
            #expect(midnight.contains(">at &gt;= 2001-01-05 AND at &lt; 2001-01-06</a>?"))
            // Links to the same value, from the list of values and from an object.
            for page in ["/values/Visit/at", "/object/Visit/1"] {
                let links = try await site.text(page).matches(of: /href="(\/objects\/Visit\?where=[^"]*)"/)
                #expect(links.count == (page.hasPrefix("/values") ? 8 : 1))
                let same = String(try #require(links.first).1).replacing("&amp;", with: "&")
                #expect(try await site.text(same).contains("<p role=\"status\">1 object"), "\(same)")
            }
            let csv = try await site.text("/export/Visit.csv?where=\(FormText.encoded("at >= 2001-01-04"))")
            #expect(csv.split(whereSeparator: \.isNewline).count == 2)
        }
    }
}
