import Foundation

extension StoreReport: CustomStringConvertible {
    /// The report as text for people, with one line for each entry. Long texts are cut.
    public var description: String {
        var lines = [
            "\(statements) statements in \(roundTrips) round trips, \(Self.milliseconds(statementTime))",
            "\(unitsOfWork) units of work (\(failedUnitsOfWork) failed), waited \(Self.milliseconds(queueTime))",
            "\(saves) saves (\(failedSaves) failed), \(conflicts) conflicts, \(retries) retries",
        ]
        lines += Self.table(
            [("round trips", 11), ("time", 12), ("rows", 11), ("steps", 7)], "call site",
            sites.map { site in
                (
                    [
                        "\(site.roundTrips)", Self.milliseconds(site.time), "\(site.rows)",
                        "\(site.cohortSteps)",
                    ], site.name
                )
            })
        lines += Self.table(
            [("", 3), ("instead of", 10)], "loads of",
            cohortLoads.map { (["\($0.steps)", "\($0.objects)"], $0.name) })
        lines += Self.table(
            [("slow", 4), ("longest", 12)], "statement",
            slowStatements.map { (["\($0.count)", Self.milliseconds($0.longestTime)], $0.text) })
        return lines.joined(separator: "\n")
    }

    /// Returns the lines of a table after an empty one; none if it has no rows.
    ///
    /// - Parameters:
    ///   - columns: The names of the columns of numbers, with their least widths.
    ///   - last: The name of the column of texts.
    ///   - rows: The numbers and the text of each row.
    private static func table(
        _ columns: [(name: String, width: Int)], _ last: String, _ rows: [(numbers: [String], text: String)]
    ) -> [String] {
        if rows.isEmpty { return [] }
        let widths = columns.indices.map { index in
            let longest = rows.reduce(0) { max($0, $1.numbers[index].count) }
            return max(columns[index].width, index == 0 ? longest : longest + 2)
        }
        let lines = [(columns.map(\.name), last)] + rows.map { ($0.numbers, line($0.text)) }
        return [""] + lines.map { cells, text in zip(cells, widths).map(padded).joined() + "  " + text }
    }

    /// Returns the beginning of a text in one line.
    private static func line(_ text: String) -> String {
        let longest = 200
        // A text with many blanks is shorter in one line.
        let words = text.unicodeScalars.prefix(10 * longest).split { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: true
            default: false
            }
        }
        let line = words.map { String($0) }.joined(separator: " ")
        let isWhole = line.count <= longest && text.unicodeScalars.count <= 10 * longest
        return isWhole ? line : String(line.prefix(longest - 1)) + "…"
    }

    private static func milliseconds(_ time: Duration) -> String {
        String(format: "%.1f ms", time / .milliseconds(1))
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
