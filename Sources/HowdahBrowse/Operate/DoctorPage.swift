import HowdahMigration
import HowdahModel
import HowdahRuntime

/// The findings of `howdah migrate doctor`.
struct DoctorPage {
    let source: PageSource

    /// A note about the model that `--model` names, which the checks do not concern.
    private var target: HTML {
        guard let planning = source.planning else { return "" }
        return """
            <p class="note">The checks compare the store with the model of these pages. The way to \
            \(planning.target.name) is on <a href="\(source.links.page("migrations"))">Migrations</a>.</p>
            """
    }

    func page() async throws -> Page {
        let schemaName = source.container.store.layouts.schema.schemaName
        let model = source.container.model
        let reading = try await source.reader.read(undoing: true) { session in
            try StoreDiagnosis(
                session.connection, schemaName: schemaName, versions: [("of this program", model)]
            ).findings()
        }
        // The session of the pages is read-only, which tells nothing about the store.
        let findings = reading.value.filter { $0.check != "writing" }
            .sorted { Self.rank($0) < Self.rank($1) }
        let rows = findings.map { finding -> [HTML] in
            [
                HTML(finding.check), HTML(finding.severity.rawValue), HTML(finding.message),
                finding.check == "transactions"
                    ? "\(finding.remedy ?? "") <a href=\"\(source.links.page("activity"))\">Activity</a>"
                    : HTML(finding.remedy ?? ""),
            ]
        }
        let (problems, warnings) = (
            findings.count { $0.severity == .problem }, findings.count { $0.severity == .warning }
        )
        let summary =
            problems + warnings == 0
            ? "No problems were found." : "Problems: \(problems). Warnings: \(warnings)."
        return Page(
            title: "Doctor", section: .doctor,
            main: """
                <p role="status">\(summary)</p>
                \(target)
                \(TableMarkup(
                    caption: "Checks of the store and its server",
                    heads: ["Check", "Result", "Finding", "Remedy"], rows: rows
                ).html)
                """, sent: reading.sent)
    }

    /// The place of a finding: problems come first, and warnings next.
    private static func rank(_ finding: StoreFinding) -> Int {
        switch finding.severity {
        case .problem: 0
        case .warning: 1
        default: 2
        }
    }
}
