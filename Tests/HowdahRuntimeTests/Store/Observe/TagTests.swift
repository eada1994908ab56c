import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Labels of call sites that a program makes from anything: bounded, and harmless wherever they are.
@Suite struct TagTests {
    private static let labels: [(label: String, text: String)] = [
        ("", ""), ("   ", ""), (" \t ", "_"), ("  pay   roll ", "pay roll"), ("a\nb\r\nc", "a_b__c"),
        ("*/; DROP TABLE employee; /*", "_/_ DROP TABLE employee_ /_"), ("\u{1B}[2J\u{0}\u{7F}", "__2J__"),
        ("\u{202E}x\u{2028}y\u{85}", "_x_y_"), ("été 🏇", "_t_ _"), ("untagged", "untagged"),
        (String(repeating: "x", count: 5_000), String(repeating: "x", count: 100)),
        (String(repeating: " ", count: 5_000), ""),
        (String(repeating: "a ", count: 3_000), String(repeating: "a ", count: 49) + "a"),
        (String(repeating: "x\n", count: 3_000), String(repeating: "x_", count: 50)),
    ]

    /// By their numbers, since the labels themselves would disturb what is printed of a test.
    @Test(arguments: labels.indices) func aLabelIsOneBoundedLineInTheComment(_ number: Int) {
        let (label, text) = Self.labels[number]
        let request = FetchRequest<Employee>().tagged(label, file: "A/B.swift", line: 7)
        let expected = [text, "A/B.swift:7"].filter { !$0.isEmpty }.joined(separator: " ")
        #expect(request.comment == " /* \(expected) */")
        #expect(request.tag == expected)
    }

    @Test func placesAreBoundedAndOneWord() {
        let spaced = FetchRequest<Employee>().tagged("a", file: "My App/My */ View.swift", line: 7)
        #expect(spaced.tag == "a My_App/My__/_View.swift:7")
        #expect(FetchRequest<Employee>().tagged("", file: "", line: -1).tag == ":-1")
    }

    /// The text, the event, the report and its JSON have the same tag, and each entry is one line.
    @Test func labelsAreTheSameEverywhere() async throws {
        let recorder = EventRecorder()
        var options = StoreOptions()
        (options.observer, options.slowStatement) = (recorder, .zero)
        try await withStore(Company.model(), options: options) { container, _ in
            try await makeCompany(in: container)
            container.statistics.start()
            container.statementLog.start()
            try await container.perform { context in
                for (number, label) in Self.labels.map(\.label).enumerated() {
                    let request = FetchRequest<Employee>().tagged(label, file: "A/B.swift", line: number)
                    for employee in try context.fetch(request) { _ = employee.department?.name }
                    context.reset()
                }
            }
            let names = Self.labels.enumerated().map { number, label in
                [label.text, "A/B.swift:\(number)"].filter { !$0.isEmpty }.joined(separator: " ")
            }
            let texts = container.statementLog.statements.map(\.sql)
            // Loads of relationships have the text of any request, and the tag as events alone.
            for name in names { #expect(texts.count { $0.contains(" /* \(name) */") } == 1, "\(name)") }
            let tags = recorder.events.compactMap { event in
                switch event {
                case .statement(let statement): statement.tag
                case .cohortStep(let step): step.tag
                default: nil
                }
            }
            #expect(Set(tags) == Set(names))
            #expect(tags.count == 3 * names.count)

            let report = container.statistics.report
            #expect(Set(report.sites.map(\.name)) == Set(names))
            let lines = report.description.split(separator: "\n", omittingEmptySubsequences: false)
            for name in names { #expect(lines.count { $0.hasSuffix("  \(name)") } == 1, "\(name)") }
            #expect(lines.count == 3 + 2 + report.sites.count + 3 + 2 + report.slowStatements.count)
            let json = try #require(
                try JSONSerialization.jsonObject(with: report.json()) as? [String: Any])
            let sites = try #require(json["sites"] as? [[String: Any]])
            #expect(Set(sites.compactMap { $0["name"] as? String }) == Set(report.sites.map(\.name)))
        }
    }
}
