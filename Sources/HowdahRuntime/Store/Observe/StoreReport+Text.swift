import Foundation

extension StoreReport: CustomStringConvertible {
    /// The report as text for people.
    public var description: String {
        var lines = [
            "\(statements) statements in \(roundTrips) round trips, \(Self.milliseconds(statementTime))",
            "\(unitsOfWork) units of work (\(failedUnitsOfWork) failed), waited \(Self.milliseconds(queueTime))",
            "\(saves) saves (\(failedSaves) failed), \(conflicts) conflicts, \(retries) retries",
        ]
        if !sites.isEmpty {
            lines += ["", "round trips        time       rows  steps  call site"]
            lines += sites.map { site in
                Self.padded("\(site.roundTrips)", 11) + Self.padded(Self.milliseconds(site.time), 12)
                    + Self.padded("\(site.rows)", 11) + Self.padded("\(site.cohortSteps)", 7)
                    + "  \(site.name)"
            }
        }
        if !healedLoads.isEmpty {
            lines += ["", "   instead of  loads of"]
            lines += healedLoads.map { load in
                Self.padded("\(load.steps)", 3) + Self.padded("\(load.objects)", 10) + "  \(load.name)"
            }
        }
        if !slowStatements.isEmpty {
            lines += ["", "slow     longest  statement"]
            lines += slowStatements.map { statement in
                Self.padded("\(statement.count)", 4)
                    + Self.padded(Self.milliseconds(statement.longestTime), 12)
                    + "  \(statement.text)"
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func milliseconds(_ time: Duration) -> String {
        String(format: "%.1f ms", time / .milliseconds(1))
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
