import Foundation
import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahSchema
import PQClient

/// The state of the store's migrations: its record, its ledger, and the steps that a deferred migration has left.
struct MigrationsPage {
    let source: PageSource
    /// Indicates whether the reader asks for a new plan.
    var plansAgain = false

    private struct Found: Sendable {
        let record: StoreRecord?
        let entries: [LedgerEntry]
        let pending: [String]
        let failure: String?
        /// The differences of the tables; nil if one is locked.
        let drift: [String]?
    }

    func page() async throws -> Page {
        let schema = source.container.store.layouts.schema
        let schemaName = schema.schemaName
        let reading = try await source.reader.read { session in
            let connection = session.connection
            let record = try StoreRecord(in: schemaName, on: connection, for: .none)
            let entries = try LedgerEntry.all(in: schemaName, on: connection)
            let drift = try session.unlessLocked { try TableDrift(of: schema, on: connection).differences }
            do {
                let steps = try PendingWork(connection, in: schemaName).steps()
                return Found(
                    record: record, entries: entries, pending: steps.map(\.description), failure: nil,
                    drift: drift)
            } catch is DecodingError {
                return Found(
                    record: record, entries: entries, pending: [],
                    failure: "Another version of the library left steps. Finish them with that version.",
                    drift: drift)
            }
        }
        let found = reading.value
        var plan: HTML = ""
        if let planning = source.planning {
            let state = [
                found.record?.identifier.uuidString, found.record?.checksum,
                found.entries.map(\.number).max().map { "\($0)" }, "\(found.pending)",
            ]
            let (planned, time) = await planning.plans.plan(planning, for: state, again: plansAgain)
            plan = """
                \(planned.html(source))
                <p class="note">Planned at \(time.formatted(.iso8601)). \
                <a href="\(source.links.page("migrations"))?plan=new">Plan again</a></p>
                """
        }
        return Page(
            title: "Migrations", section: .migrations,
            main: """
                \(state(found))
                \(pending(found))
                \(plan)
                \(record(found.record))
                \(drift(found.drift))
                \(ledger(found.entries))
                <p class="note">\(advice)Run <code>howdah migrate verify</code> for a comparison that also covers \
                expressions and triggers.</p>
                """, sent: reading.sent)
    }

    private var advice: HTML {
        source.planning == nil
            ? "Start the pages with <code>--model</code>, or run <code>howdah migrate plan</code>, to see the next migration. "
            : ""
    }

    private func state(_ found: Found) -> HTML {
        guard let record = found.record else { return "" }
        let model = source.container.model
        if !model.hasChecksum(record.checksum) {
            return """
                <p class="warning" role="note">The store has another model than this program. If the store was migrated, \
                restart <code>howdah browse</code>, or start the version of the program that migrated it. Otherwise migrate \
                the store.</p>
                """
        }
        if !found.pending.isEmpty || found.failure != nil {
            return """
                <p class="warning" role="note">A deferred migration is not finished. Run \
                <code>howdah migrate finish</code>.</p>
                """
        }
        return "<p role=\"status\">All migrations that began are finished. \(next)</p>"
    }

    /// Where the reader sees if another migration is needed.
    private var next: HTML {
        source.planning == nil
            ? "The pages have no other model to which the store could be migrated."
            : "The plan says what is pending."
    }

    private func record(_ record: StoreRecord?) -> HTML {
        guard let record else { return "" }
        return """
            <h2>The store</h2>
            <dl><dt>Model of the store</dt><dd>\(model(record.checksum))</dd>
            <dt>Model of these pages</dt><dd>\(model(source.container.model.versionChecksum))</dd>
            <dt>Format of the store</dt><dd>\(record.format.number)</dd>
            <dt>Created</dt><dd>\(record.createdAt.formatted(.iso8601))</dd>
            <dt>Identifier of the store</dt><dd><code>\(record.identifier.uuidString)</code></dd></dl>
            """
    }

    /// A checksum, after the name of the version in the target's file.
    private func model(_ checksum: String) -> HTML {
        let name: HTML = source.planning?.target.version(checksum).map { "version \($0) " } ?? ""
        return "\(name)<code>\(checksum)</code>"
    }

    private func drift(_ differences: [String]?) -> HTML {
        guard let differences else {
            return """
                <p class="warning" role="note">A table is locked, so the tables were not compared. \
                <a href="\(source.links.locks)">Activity</a> has the table, and the session, or the prepared transaction, that holds \
                the lock.</p>
                """
        }
        if differences.isEmpty {
            return "<p>The tables have the columns, indexes and constraints of the model.</p>"
        }
        let items = differences.map { "<li>\($0)</li>" as HTML }
        return "<h2>Differences from the model</h2>\n<ul>\(items)</ul>"
    }

    private func pending(_ found: Found) -> HTML {
        let failure: HTML = found.failure.map { "<p class=\"error\">\($0)</p>" } ?? ""
        if found.pending.isEmpty { return failure }
        let items = found.pending.map { "<li>\($0)</li>" as HTML }
        return "<h2>Steps that are left</h2>\n\(failure)<ol>\(items)</ol>"
    }

    private func ledger(_ entries: [LedgerEntry]) -> HTML {
        if !source.hasRecord {
            return "<p>The schema has no store, and no migrations. The model is made from the tables.</p>"
        }
        if entries.isEmpty { return "<p>No migration has run since the store was created.</p>" }
        let rows = entries.reversed().prefix(200).map { entry -> [HTML] in
            [
                "\(entry.number)", HTML(entry.label), HTML(entry.began),
                HTML(SentFoot.milliseconds(.seconds(entry.seconds))), "\(entry.stepCount)",
                HTML(entry.fromChecksum.prefix(12)), HTML(entry.toChecksum.prefix(12)),
                HTML([entry.host, entry.role].compactMap { $0 }.joined(separator: ", ")),
            ]
        }
        return TableMarkup(
            caption: "Migrations that ran",
            heads: ["Number", "Stage", "Began", "Time", "Steps", "From", "To", "By"], rows: Array(rows)
        ).html
    }
}
