import HowdahMigration
import HowdahModel
import HowdahRuntime

/// The findings of `howdah migrate doctor`.
struct DoctorPage {
    let source: PageSource

    func page() async throws -> Page {
        let schemaName = source.container.store.layouts.schema.schemaName
        let model = source.container.model
        let reading = try await source.reader.read(undoing: true) { session in
            try StoreDiagnosis(
                session.connection, schemaName: schemaName, versions: [("this program", model)]
            ).findings()
        }
        let rows = reading.value.map { finding -> [HTML] in
            [
                HTML(finding.check), HTML(finding.severity.rawValue), HTML(finding.message),
                HTML(finding.remedy ?? ""),
            ]
        }
        let bad = reading.value.count { $0.severity == .problem || $0.severity == .warning }
        let summary =
            bad == 0
            ? "No problems were found."
            : bad == 1 ? "One check found a problem." : "\(bad) checks found a problem."
        return Page(
            title: "Doctor", section: .doctor,
            main: """
                <p role="status">\(summary)</p>
                \(TableMarkup(
                    caption: "Checks of the store and its server",
                    heads: ["Check", "Result", "Finding", "Remedy"], rows: rows
                ).html)
                """, sent: reading.sent)
    }
}
