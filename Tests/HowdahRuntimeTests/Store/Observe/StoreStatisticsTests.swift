import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime
@testable import PQClient

@Suite struct StoreStatisticsTests {
    @Test func theReportCountsByCallSite() async throws {
        var options = StoreOptions()
        options.slowStatement = .zero
        try await withStore(Company.model(), options: options) { container, _ in
            #expect(container.statistics.report == StoreReport())
            try await makeCompany(in: container)
            #expect(container.statistics.report == StoreReport())

            container.statistics.start()
            for _ in 0..<2 {
                try await container.perform { context in
                    for employee in try context.fetch(FetchRequest<Employee>().tagged("payroll")) {
                        employee.lastName = employee.department?.name
                    }
                    try context.save()
                }
            }
            _ = try await container.perform { try $0.count(Employee.self) }
            container.statistics.stop()
            let report = container.statistics.report
            _ = try await container.perform { try $0.count(Employee.self) }
            #expect(container.statistics.report == report)

            #expect(report.unitsOfWork == 3)
            // The second one gave each employee the name that it had, and had nothing to store.
            #expect(report.saves == 1)
            #expect(report.failedSaves == 0)
            #expect(report.cohortSteps == 2)
            #expect(report.roundTrips >= 6)
            #expect(report.statements >= report.roundTrips)
            #expect(report.statementTime > .zero)
            #expect(report.duration >= report.statementTime)
            let payroll = try #require(report.sites.first { $0.name.hasPrefix("payroll ") })
            #expect(payroll.roundTrips == 4)
            #expect(payroll.rows == 10)
            #expect(payroll.cohortSteps == 2)
            #expect(payroll.failures == 0)
            #expect(report.sites.contains { $0.name == StoreReport.Site.untagged })
            #expect(report.cohortLoads.map(\.name) == ["Employee.department"])
            #expect(report.cohortLoads.map(\.steps) == [2])
            #expect(report.cohortLoads.map(\.objects) == [4])
            let slow = try #require(report.slowStatements.first { $0.text.contains("count(*)") })
            #expect(slow.count == 1)
            #expect(slow.longestTime > .zero)

            let text = report.description
            #expect(text.contains("3 units of work (0 failed)"))
            #expect(text.contains("  payroll HowdahRuntimeTests/StoreStatisticsTests.swift:"))
            #expect(text.contains("  2         4  Employee.department"))
            let json = try #require(
                try JSONSerialization.jsonObject(with: report.json()) as? [String: Any])
            #expect(json["unitsOfWork"] as? Int == 3)
            let seconds = try #require(json["statementSeconds"] as? Double)
            #expect(abs(seconds - report.statementTime.inSeconds) < 1e-9)
            let sites = try #require(json["sites"] as? [[String: Any]])
            #expect(sites.count == report.sites.count)
            let loads = try #require(json["cohortLoads"] as? [[String: Any]])
            #expect(loads.map { $0["objects"] as? Int } == [4])
            #expect((json["slowStatements"] as? [Any])?.isEmpty == false)
        }
    }

    @Test func sitesBeyondTheLimitAreCountedTogether() {
        let statistics = StoreStatistics(slowerThan: nil)
        statistics.start()
        for number in 0..<600 {
            statistics.observe(
                .cohortStep(.init(entityName: "A", relationshipName: "b", count: 2, tag: "\(number)")))
        }
        let report = statistics.report
        #expect(report.sites.count == 501)
        #expect(report.sites.first { $0.name == StoreReport.Site.others }?.cohortSteps == 100)
        #expect(report.cohortSteps == 600)
    }

    private static func statement(_ text: String, _ time: Duration = .seconds(1)) -> StoreEvent {
        .statement(
            .init(RoundTrip(texts: [text], subjects: [nil], duration: time, rows: 0, error: nil)))
    }

    /// Texts are cut by bytes, and those that differ only later are different ones.
    @Test func longTextsOfSlowStatementsAreCut() {
        let statistics = StoreStatistics(slowerThan: .zero)
        statistics.start()
        let whole = String(repeating: "a", count: 4_000)
        let accents = "e" + String(repeating: "\u{301}", count: 300_000)
        for text in [whole, whole + "b", whole + "c", accents] { statistics.observe(Self.statement(text)) }
        let texts = statistics.report.slowStatements.map(\.text)
        let cut = "e" + String(repeating: "\u{301}", count: 1_999) + " …"
        #expect(texts.sorted() == [whole, whole + " …", whole + " …", cut].sorted())
    }

    @Test func theSlowestStatementsAreKept() {
        let statistics = StoreStatistics(slowerThan: .zero)
        statistics.start()
        for number in 0..<600 {
            statistics.observe(Self.statement("\(number)", .milliseconds(number % 2 == 0 ? 5 : 1)))
        }
        statistics.observe(Self.statement("slowest", .seconds(1)))
        statistics.observe(Self.statement("fast", .microseconds(1)))
        let slow = statistics.report.slowStatements
        #expect(slow.count == 500 && slow.first?.text == "slowest")
        #expect(slow.count { $0.longestTime == .milliseconds(5) } == 300)
        #expect(!slow.contains { $0.text == "fast" })
    }
}
