import HowdahRuntime

/// The report of a container that collects its statistics: the work of the program by call sites.
struct ReportPage {
    let source: PageSource

    /// Indicates whether the container of a program collects, or did.
    static func isAvailable(in container: PersistentContainer) -> Bool {
        container.statistics.report.duration > .zero
    }

    /// The page; no statement.
    var page: Page {
        let report = source.container.statistics.report
        guard report.duration > .zero else {
            return Page(
                title: "Report", section: .report,
                main: """
                    <p role="status">The program does not collect statistics. Call \
                    <code>container.statistics.start()</code> when it starts.</p>
                    """)
        }
        return Page(
            title: "Report", section: .report,
            main: """
                \(summary(report))
                \(sites(report.sites))
                \(loads(report.cohortLoads))
                \(slow(report.slowStatements))
                """)
    }

    private func summary(_ report: StoreReport) -> HTML {
        let time = SentFoot.milliseconds(report.statementTime)
        let figures = [
            ("Collected for", "\(report.duration.components.seconds) s"),
            ("Statements", "\(report.statements) in \(report.roundTrips) round trips, \(time)"),
            ("Units of work", "\(report.unitsOfWork), of which \(report.failedUnitsOfWork) failed"),
            ("Waits for a connection", SentFoot.milliseconds(report.queueTime)),
            ("Saves", "\(report.saves), of which \(report.failedSaves) failed"),
            ("Conflicts and retries", "\(report.conflicts) and \(report.retries)"),
            ("Cohort steps", "\(report.cohortSteps)"),
        ]
        return "<dl>\(figures.map { "<dt>\($0.0)</dt><dd>\($0.1)</dd>\n" as HTML })</dl>"
    }

    private func sites(_ sites: [StoreReport.Site]) -> HTML {
        let rows = sites.map { site -> [HTML] in
            [
                HTML(site.name), "\(site.roundTrips)", HTML(SentFoot.milliseconds(site.time)),
                "\(site.rows)", "\(site.cohortSteps)", "\(site.failures)",
            ]
        }
        return TableMarkup(
            caption: "Call sites, the longest time first",
            heads: ["Call site", "Round trips", "Time", "Rows", "Cohort steps", "Failures"], rows: rows
        ).html
    }

    private func loads(_ loads: [StoreReport.CohortLoad]) -> HTML {
        if loads.isEmpty { return "" }
        let rows = loads.map { load -> [HTML] in
            [HTML(load.name), "\(load.steps)", "\(load.objects)"]
        }
        return TableMarkup(
            caption: "Loads that cohorts made together",
            heads: ["Relationship or entity", "Loads", "Loads without cohorts"], rows: rows
        ).html
    }

    private func slow(_ statements: [StoreReport.SlowStatement]) -> HTML {
        let statements = statements.filter { !source.reader.own.contains($0.text) }
        if statements.isEmpty { return "<p>No statement of the program was slow.</p>" }
        let rows = statements.map { statement -> [HTML] in
            [
                "<code class=\"statement\">\(statement.text)</code>", "\(statement.count)",
                HTML(SentFoot.milliseconds(statement.longestTime)),
            ]
        }
        return TableMarkup(
            caption: "Slow statements, without those of these pages",
            heads: ["Statement", "Times", "Longest"], rows: rows
        ).html
    }
}
