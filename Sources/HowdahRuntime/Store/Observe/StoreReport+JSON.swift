public import Foundation

extension StoreReport: Encodable {
    /// Returns the report as JSON; all times are numbers of seconds.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    /// Encodes the report, with times as numbers of seconds.
    public func encode(to encoder: any Encoder) throws { try Fields(self).encode(to: encoder) }
}

/// The names and values of a report in JSON.
private struct Fields: Encodable {
    struct Site: Encodable {
        let name: String
        let roundTrips: Int
        let seconds: Double
        let rows: Int
        let cohortSteps: Int
        let failures: Int
    }

    struct CohortLoad: Encodable {
        let name: String
        let steps: Int
        let objects: Int
    }

    struct SlowStatement: Encodable {
        let text: String
        let count: Int
        let longestSeconds: Double
    }

    let seconds: Double
    let statements: Int
    let roundTrips: Int
    let statementSeconds: Double
    let unitsOfWork: Int
    let failedUnitsOfWork: Int
    let queueSeconds: Double
    let saves: Int
    let failedSaves: Int
    let conflicts: Int
    let retries: Int
    let cohortSteps: Int
    let sites: [Site]
    let cohortLoads: [CohortLoad]
    let slowStatements: [SlowStatement]

    init(_ report: StoreReport) {
        seconds = report.duration.inSeconds
        statements = report.statements
        roundTrips = report.roundTrips
        statementSeconds = report.statementTime.inSeconds
        unitsOfWork = report.unitsOfWork
        failedUnitsOfWork = report.failedUnitsOfWork
        queueSeconds = report.queueTime.inSeconds
        saves = report.saves
        failedSaves = report.failedSaves
        conflicts = report.conflicts
        retries = report.retries
        cohortSteps = report.cohortSteps
        sites = report.sites.map { site in
            Site(
                name: site.name, roundTrips: site.roundTrips, seconds: site.time.inSeconds, rows: site.rows,
                cohortSteps: site.cohortSteps, failures: site.failures)
        }
        cohortLoads = report.cohortLoads.map {
            CohortLoad(name: $0.name, steps: $0.steps, objects: $0.objects)
        }
        slowStatements = report.slowStatements.map { statement in
            SlowStatement(
                text: statement.text, count: statement.count,
                longestSeconds: statement.longestTime.inSeconds)
        }
    }
}

extension Duration {
    /// The duration as a number of seconds.
    package var inSeconds: Double { self / .seconds(1) }

    /// The duration as a number of nanoseconds, at most the largest one.
    package var nanoseconds: Int64 {
        let count = attoseconds / 1_000_000_000
        return Int64(clamping: count)
    }
}
