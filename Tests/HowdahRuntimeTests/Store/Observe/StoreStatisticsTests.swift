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
            #expect(report.healedLoads.map(\.name) == ["Employee.department"])
            #expect(report.healedLoads.map(\.steps) == [2])
            #expect(report.healedLoads.map(\.objects) == [4])
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
            let loads = try #require(json["healedLoads"] as? [[String: Any]])
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

    @Test func longTextsOfSlowStatementsAreCut() {
        let statistics = StoreStatistics(slowerThan: .zero)
        statistics.start()
        for text in [String(repeating: "a", count: 4_000), String(repeating: "é", count: 4_001)] {
            statistics.observe(
                .statement(
                    .init(
                        RoundTrip(texts: [text], subjects: [nil], duration: .seconds(1), rows: 0, error: nil))
                ))
        }
        let texts = statistics.report.slowStatements.map(\.text)
        #expect(
            Set(texts) == [String(repeating: "a", count: 4_000), String(repeating: "é", count: 4_000) + " …"])
    }
}
