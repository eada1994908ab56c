import HowdahRuntime
import PQClient

/// A form for one query in SQL, which cannot write, ends after two seconds and returns at most 1,000 rows.
struct SQLPage {
    let source: PageSource

    /// Runs the query of a form, if it has one.
    func page(_ request: BrowseRequest) async throws -> Page {
        var text = try Self.query(of: request)
        while let last = text.last, last == ";" || last.isWhitespace { text.removeLast() }
        guard request.method == "POST", !text.isEmpty else {
            let text = request.parameter("query") ?? text
            let role = try await source.reader.read { try SQLRole(on: $0.connection) }
            return Page(
                title: "SQL", section: .sql, main: "\(form(text, nil))\(role.value.warning)", sent: role.sent)
        }
        guard !text.unicodeScalars.contains("\u{0}") else {
            throw BrowseError(400, "The query has the character U+0000. Remove the character.")
        }
        let query = text
        do {
            let reading = try await source.reader.read(undoing: true, isPrivate: true) { session in
                try SQLRun(query, on: session.connection)
            }
            return Page(
                title: "SQL", section: .sql, main: "\(form(query, nil))\(table(reading.value))",
                sent: reading.sent, plan: reading.value.plan)
        } catch let error as PostgresError where error.sqlState == "57014" {
            let message =
                "The query was stopped after 2 s. Narrow it, or add an index that serves it."
            return Page(status: 503, title: "SQL", section: .sql, main: form(query, message))
        } catch let error as PostgresError where error.sqlState != nil {
            // The reader wrote the query, and sees the server's words about it.
            var message = error.message
            if error.sqlState == "42601", !Self.isQuery(query) {
                message += ". Only one SELECT can run here."
            }
            return Page(status: 400, title: "SQL", section: .sql, main: form(query, message))
        }
    }

    /// Returns the query of a form; empty if it has none.
    ///
    /// - Throws: `BrowseError` for a repeated or unknown field, and for bytes that are not UTF-8.
    private static func query(of request: BrowseRequest) throws -> String {
        guard let body = String(validating: request.body, as: UTF8.self), FormText.isText(body) else {
            throw BrowseError(400, "The form has bytes that are not UTF-8. Remove them.")
        }
        let fields = FormText.fields(of: body)
        guard fields.count < 2, fields.allSatisfy({ $0.name == "query" }) else {
            throw BrowseError(400, "The form has another field than one 'query'. Send only that one.")
        }
        return fields.first?.value ?? ""
    }

    /// Returns a Boolean value that indicates whether a text begins as a query does.
    private static func isQuery(_ text: String) -> Bool {
        let word = text.drop { !$0.isLetter }.prefix { $0.isLetter }.uppercased()
        return ["SELECT", "WITH", "VALUES", "TABLE"].contains(word)
    }

    private func form(_ text: String, _ failure: String?) -> HTML {
        let state: HTML = failure == nil ? "" : " aria-invalid=\"true\" aria-describedby=\"fault\""
        let complaint: HTML =
            failure.map { "<p class=\"error\" id=\"fault\" role=\"alert\">\($0)</p>" } ?? ""
        return """
            <form method="post" action="\(source.links.page("sql"))">
            <label for="query">Query</label>
            <textarea id="query" name="query" rows="6" spellcheck="false"\(state)>\(text)</textarea>
            \(complaint)
            <p class="note">The query runs in a read-only transaction, which is rolled back. It ends after 2 s and \
            returns at most 1,000 rows. Functions that act outside of the transaction are not undone, such as \
            <code>dblink_exec</code> and <code>pg_terminate_backend</code>. The role decides which of them run.</p>
            <p><button>Run</button></p>
            </form>
            """
    }

    private func table(_ run: SQLRun) -> HTML {
        let rows = run.rows.map { row in
            row.map { cell -> HTML in
                cell.map { text in
                    text.unicodeScalars.count > run.valueLimit
                        ? "\(String(text.unicodeScalars.prefix(run.valueLimit)))<span class=\"cut\">…</span>"
                        : HTML(text)
                } ?? "<span class=\"null\">NULL</span>"
            }
        }
        let count = run.rows.count == 1 ? "1 row" : "\(Figures.count(run.rows.count)) rows"
        let more = run.isCut ? ", and the query has more" : ""
        return """
            <p role="status">\(count)\(more)</p>
            \(TableMarkup(caption: "Result", heads: run.columns, rows: rows).html)
            """
    }
}
