import ArgumentParser
import Foundation

/// Tells what was found out about formats.
struct PredicateReport {
    let source: FormatSource

    /// Writes the findings: of one format what `text` makes of it, of a file a line for each error and warning, and a count.
    ///
    /// - Throws: `ExitCode.failure` where one is wrong.
    func write(_ findings: [PredicateFinding], text: (PredicateFinding) -> String) throws {
        let wrong = findings.filter { $0.error != nil }
        if source.json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            let data =
                source.file == nil && findings.count == 1
                ? try encoder.encode(findings[0]) : try encoder.encode(findings)
            try Output.write(String(decoding: data, as: UTF8.self))
        } else if source.file == nil {
            for finding in findings where finding.error == nil {
                let text = text(finding)
                if !text.isEmpty { try Output.write(text) }
            }
            for finding in findings {
                for warning in finding.warningTexts(file: nil) { Output.tell("warning: \(warning)") }
                if let complaint = finding.complaintText(file: nil) {
                    throw CommandError(complaint)
                }
                if let note = finding.note { Output.tell("note: \(note)") }
            }
        } else {
            for finding in findings {
                for warning in finding.warningTexts(file: source.name) { try Output.write(warning.printable) }
                if let complaint = finding.complaintText(file: source.name) {
                    try Output.write(complaint.printable)
                }
            }
            let unread = findings.count { $0.error == nil && $0.note != nil }
            let count = findings.count.counted("format", "formats")
            try Output.write(
                "\(count), \(findings.count - wrong.count) valid, \(wrong.count) invalid"
                    + (unread == 0
                        ? "" : "; \(unread) of the valid ones only parsed, because %K has no key path"))
        }
        if !wrong.isEmpty { throw ExitCode.failure }
    }
}
