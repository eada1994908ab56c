import HowdahModel
import HowdahRuntime
import PQClient

/// A form for one query in SQL, which cannot write, ends after two seconds and returns at most 1,000 rows.
struct SQLPage {
    let source: PageSource

    /// Runs the query of a form, if it has one.
    func answer(_ request: BrowseRequest) async throws -> Page.Answer {
        let form = try SQLForm(request)
        guard request.method == "POST", !form.query.isEmpty else {
            let shown = request.parameter("query").map { SQLForm(query: $0) } ?? form
            let role = try await source.reader.read { try SQLRole(on: $0.connection) }
            return .page(
                Page(
                    title: "SQL", section: .sql,
                    main: "\(shown.html(source.links, nil))\(role.value.warning)\(tables)", sent: role.sent))
        }
        do {
            return try await result(of: form)
        } catch let error as PostgresError where error.sqlState == "57014" {
            return failure(
                503, "The query was stopped after 2 s. Narrow it, or add an index that serves it.", form)
        } catch let error as PostgresError where error.sqlState != nil {
            // The reader wrote the query, and sees the server's words about it.
            let remedy = error.sqlState == "42601" && !form.isQuery ? ". Only one SELECT can run here." : ""
            return failure(400, error.message + remedy + suggestion(error), form)
        } catch let error as BrowseError {
            return failure(error.status, error.message, form)
        }
    }

    /// Returns the server's suggestion, or the table of an entity that the query names as a table; empty without one.
    private func suggestion(_ error: PostgresError) -> String {
        let name = error.message.split(separator: "\"", omittingEmptySubsequences: false).dropFirst().first
        if error.sqlState == SQLState.undefinedTable, let name {
            let schema = source.container.store.layouts.schema
            let entity = source.guide.tree.map(\.entity.name).first { $0.lowercased() == name.lowercased() }
            if let entity, let table = schema.entities[entity]?.table {
                return ". The table of \(entity) is \(SQLIdentifier.quoted(schema.schemaName, table))."
            }
        }
        return error.hint.map { ". \($0)" } ?? ""
    }

    /// The tables of the first entities, for queries.
    private var tables: HTML {
        let schema = source.container.store.layouts.schema
        let items = source.guide.tree.prefix(200).compactMap { entity, _ in
            schema.entities[entity.name].map {
                "<li>\(entity.name): <code>\(SQLIdentifier.quoted(schema.schemaName, $0.table))</code></li>\n"
                    as HTML
            }
        }
        return "<details><summary>Tables</summary><ul>\(items)</ul></details>"
    }

    private func failure(_ status: Int, _ message: String, _ form: SQLForm) -> Page.Answer {
        .page(Page(status: status, title: "SQL", section: .sql, main: form.html(source.links, message)))
    }

    private func result(of form: SQLForm) async throws -> Page.Answer {
        let reading = try await source.reader.read(undoing: true, isPrivate: true) { session in
            try SQLRun(form.query, as: form.action, on: session.connection)
        }
        let run = reading.value
        let content: HTML
        switch form.action {
        case .csv: return .other(csv(run))
        case .run: content = table(run)
        case .plan, .analyze:
            let title: HTML =
                form.action == .plan ? "The plan, without running the query" : "The plan, with times"
            content = "<h2>\(title)</h2>\n<pre><code>\(run.plan.joined(separator: "\n"))</code></pre>"
        }
        return .page(
            Page(
                title: "SQL", section: .sql, main: "\(form.html(source.links, nil))\(content)",
                sent: reading.sent, plan: form.action == .run ? run.plan : []))
    }

    private func csv(_ run: SQLRun) -> BrowseResponse {
        let lines = run.rows.map { CSVText.line($0, areTexts: run.areTexts) }
        var response = BrowseResponse(
            CSVText.line(run.columns) + lines.joined(), type: "text/csv; charset=utf-8")
        response.headers.append(("Content-Disposition", "attachment; filename=\"result.csv\""))
        return response
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
            <p role="status">\(count)\(more), in \(SentFoot.milliseconds(run.time))</p>
            \(TableMarkup(caption: "Result", heads: run.columns, rows: rows).html)
            """
    }
}
