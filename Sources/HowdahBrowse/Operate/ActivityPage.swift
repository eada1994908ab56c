import Foundation
import HowdahModel
import HowdahRuntime

/// The sessions of the database, who waits for whom, and the program's own statements by call site.
struct ActivityPage {
    let source: PageSource

    func page() async throws -> Page {
        let schemaName = source.container.store.layouts.schema.schemaName
        let reading = try await source.reader.read { session in
            (
                try ServerSession.all(on: session.connection),
                try PreparedTransaction.all(on: session.connection),
                try HeldLock.all(in: schemaName, on: session.connection)
            )
        }
        let (sessions, prepared, locks) = reading.value
        // Separate, because the statistics can be unreadable: the extension needs a setting of the server.
        let costly = try? await source.reader.read { try CostlyStatement.all(on: $0.connection) }
        return Page(
            title: "Activity", section: .activity,
            main: """
                <p class="note">As of \(Date.now.formatted(.iso8601)) · \
                <a href="\(source.links.page("activity"))">read again</a></p>
                \(waits(sessions, prepared))
                \(HeldLock.html(locks))
                \(list(prepared))
                \(table(sessions))
                \(statements(costly?.value))
                \(report)
                """, sent: reading.sent + (costly?.sent ?? []))
    }

    /// The most sessions that are named for one that waits. Each of a queue waits for all before it.
    private static let namedBlockers = 5

    private func waits(_ sessions: [ServerSession], _ prepared: [PreparedTransaction]) -> HTML {
        let names = Dictionary(
            sessions.map { ($0.process, "\($0.application) \($0.process)") },
            uniquingKeysWith: { first, _ in first })
        let items = sessions.filter { !$0.blockers.isEmpty }.map { session -> HTML in
            let holders = prepared.filter { $0.waiting.contains(session.process) }.map(\.words)
            let all = session.blockers.flatMap { process -> [String] in
                // A transaction without a session.
                if process == 0 { return holders.isEmpty ? ["a prepared transaction"] : holders }
                return [names[process] ?? String(process)]
            }
            let more = all.count > Self.namedBlockers ? " and \(all.count - Self.namedBlockers) others" : ""
            let blockers = all.prefix(Self.namedBlockers).joined(separator: ", ") + more
            return """
                <li>\(session.application) \(session.process) waits for \(blockers): \
                <code>\(session.statement.prefix(160))</code></li>
                """
        }
        if items.isEmpty { return "<p role=\"status\">No session waits for another one.</p>" }
        return "<h2>Sessions that wait for a lock</h2>\n<ul>\(items)</ul>"
    }

    /// The transactions that hold locks without a session, with what ends them.
    private func list(_ prepared: [PreparedTransaction]) -> HTML {
        if prepared.isEmpty { return "" }
        let items = prepared.map { transaction -> HTML in
            """
            <li>\(transaction.name) of \(transaction.role), since \(transaction.began): <code>\(transaction.rollback)</code> \
            or <code>\(transaction.commit)</code></li>
            """
        }
        return """
            <h2>Prepared transactions</h2>
            <p class="warning" role="note">No session has them, and they hold their locks until you end them.</p>
            <ul>\(items)</ul>
            """
    }

    private func table(_ sessions: [ServerSession]) -> HTML {
        let rows = sessions.map { session -> [HTML] in
            [
                "\(session.process)", HTML(session.application), HTML(session.state),
                HTML(session.wait == "Client: ClientRead" ? "its program" : session.wait),
                "<code class=\"statement\">\(session.statement)</code>", HTML(session.transactionAge),
                HTML(session.statementAge), HTML(session.role),
                "<span class=\"short\">\(session.began)</span>",
            ]
        }
        return TableMarkup(
            caption: "Sessions, the oldest transaction first",
            heads: [
                "Process", "Application", "State", "Waits for", "Last statement", "Age of the transaction",
                "Age of the statement", "Role", "Session began (UTC)",
            ], rows: rows
        ).html
    }

    private func statements(_ costly: [CostlyStatement]?) -> HTML {
        guard let costly else {
            return """
                <p class="note">The server keeps no statistics of statements. Create the extension \
                <code>pg_stat_statements</code> to see which take most of the time.</p>
                """
        }
        let rows = costly.map { statement -> [HTML] in
            [
                HTML(statement.site.isEmpty ? "without a tag" : statement.site), "\(statement.calls)",
                "\(statement.rows)",
                HTML(SentFoot.milliseconds(.seconds(statement.totalMilliseconds / 1_000))),
                HTML(SentFoot.milliseconds(.seconds(statement.meanMilliseconds / 1_000))),
                "<code class=\"statement\">\(statement.text)</code>",
            ]
        }
        return TableMarkup(
            caption: "Statements that took most of the time",
            heads: ["Call site", "Calls", "Rows", "Total", "Mean", "Statement"], rows: rows
        ).html
    }

    /// The way to the report of a program that started its statistics.
    private var report: HTML {
        guard ReportPage.isAvailable(in: source.container) else { return "" }
        return
            "<p>The <a href=\"\(source.links.page("report"))\">report</a> has the statements of this program.</p>"
    }
}
