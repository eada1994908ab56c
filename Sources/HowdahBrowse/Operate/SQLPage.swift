import HowdahRuntime
import PQClient

/// A form for one query in SQL, which cannot write, ends after two seconds and returns at most 1,000 rows.
struct SQLPage {
    let source: PageSource

    /// Runs the query of a form, if it has one.
    func page(_ request: BrowseRequest) async throws -> Page {
        let fields = FormText.fields(of: String(decoding: request.body, as: UTF8.self))
        var text = fields.first { $0.name == "query" }?.value ?? ""
        while let last = text.last, last == ";" || last.isWhitespace { text.removeLast() }
        guard request.method == "POST", !text.isEmpty else {
            return Page(title: "SQL", section: .sql, main: form(request.parameter("query") ?? text, nil))
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
            returns at most 1,000 rows.</p>
            <p><button>Run</button></p>
            </form>
            """
    }

    private func table(_ run: SQLRun) -> HTML {
        let rows = run.rows.map { row in
            row.map { cell -> HTML in
                cell.map { text in
                    text.count > SQLRun.valueLimit
                        ? "\(text.prefix(SQLRun.valueLimit))<span class=\"cut\">…</span>" : HTML(text)
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
