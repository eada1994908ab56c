import HowdahModel
import HowdahRuntime

/// The table of objects, with its order, its pages and its exports.
struct ObjectsTable {
    let source: PageSource
    let view: ObjectsView
    let columns: ShownColumns
    let page: BrowsePage
    let plan: [String]
    /// The exact number of objects; nil unless it was requested.
    let count: ExactCount?

    var html: HTML {
        """
        <p role="status">\(status)\(counted)</p>
        \(day)
        <div class="scroll" tabindex="0" role="region" aria-label="Objects of \(view.entity)"><table \
        data-entity="\(view.entity)" data-snapshot="\(page.snapshot ?? "")">
        <caption>\(view.entity)\(view.filter.map { " where " + $0 } ?? "")</caption>
        <thead><tr><th scope="col">Object</th>\(columns.names.indices.map(heading))</tr></thead>
        <tbody>
        \(page.rows.map(row))</tbody></table></div>
        \(pages)
        \(values)
        <p>Export what the filter finds, with the shown columns: \(export("csv")) · \(export("jsonl"))\(whole) \
        <span class="note">The files are for reading: data is only its size. <code>howdah data export</code> writes files \
        that <code>howdah data import</code> reads.</span></p>
        """
    }

    private var status: String {
        if page.rows.isEmpty { return count == nil ? "No object matches." : "No object matches" }
        let isWhole = !page.hasNext && !page.hasPrevious
        return "\(page.rows.count) \(page.rows.count == 1 ? "object" : "objects")\(isWhole ? "" : estimate)"
    }

    /// The number of objects that the planner expects, in the direction in which the page was read.
    private var estimate: String {
        let hasMore = view.before == nil ? page.hasNext : page.hasPrevious
        guard hasMore, let estimate = PlanText(plan).estimate else { return "" }
        let place = view.before != nil ? " up to here" : view.after != nil ? " from here on" : ""
        // There is another page, so a smaller estimate is wrong.
        if estimate <= page.rows.count { return ", of more than \(page.rows.count)\(place)" }
        return ", of about \(Figures.count(estimate))\(place) by the plan"
    }

    /// A link to the objects of a day, if the filter compares with its midnight, or with the wildcards of predicates, if it has
    /// those of SQL.
    private var day: HTML {
        guard let filter = view.filter, filter.utf8.count <= DayFilter.longest else { return "" }
        if let text = DayFilter(filter, of: view.entity, source.guide)?.text {
            return hint("A date without a time is its midnight in UTC.", text)
        }
        let form = /\bLIKE(\[\w+\])?\s*("[^"*?]*%[^"*?]*"|'[^'*?]*%[^'*?]*')/.ignoresCase()
        let text = filter.replacing(form) { "LIKE\($0.1 ?? "") \($0.2.replacing("%", with: "*"))" }
        if text == filter { return "" }
        return hint("The wildcards of LIKE are * and ?, and % is a character like others.", text)
    }

    private func hint(_ words: String, _ filter: String) -> HTML {
        let target = address(view.changed { $0.filter = filter })
        return "<p class=\"note\">\(words) Did you mean <a href=\"\(target)\">\(filter)</a>?</p>"
    }

    private var counted: HTML {
        if let count { return ". Counted: \(count.text)." }
        if !page.hasNext && !page.hasPrevious { return "" }
        var view = view
        view.isCounted = true
        return " · <a href=\"\(address(view))\">Count exactly</a>"
    }

    private func address(_ view: ObjectsView) -> String {
        source.links.objects(view.entity, query: view.query)
    }

    private func heading(_ column: Int) -> HTML {
        let (name, style) = (columns.names[column], columns.styles[column])
        let path = source.guide.sortPath(name, of: view.entity)
        let direction = view.isAscending(path)
        let state: HTML =
            direction.map { $0 ? " aria-sort=\"ascending\"" : " aria-sort=\"descending\"" } ?? ""
        let arrow = direction.map { $0 ? " ↑" : " ↓" } ?? ""
        let values: HTML = valuesAddress(name).map { " data-values=\"\($0)\"" } ?? ""
        guard isSortable(name) else {
            return "<th scope=\"col\" class=\"\(style)\"\(columns.menus[column])\(values)>\(name)</th>"
        }
        let next = address(view.changed { $0.sort = [direction == true ? "-" + path : path] })
        return
            "<th scope=\"col\" class=\"\(style)\"\(columns.menus[column])\(values) data-sort=\"\(path)\"\(state)><a href=\"\(next)\">\(name)\(arrow)</a></th>"
    }

    /// Composites and masked values do not sort.
    private func isSortable(_ name: String) -> Bool {
        guard !source.guide.isSensitive(name, of: view.entity) else { return false }
        let property = source.guide.model.property(named: name, of: view.entity)
        return property?.attribute?.type.composite == nil
    }

    private func row(_ row: BrowseRow) -> HTML {
        let markup = CellMarkup(links: source.links, row: row)
        let cells = columns.names.indices.map { index -> HTML in
            let html = markup.html(
                row.cells[index], name: columns.names[index], label: columns.label(index, in: row),
                isSensitive: columns.isSensitive[index])
            return "<td class=\"\(columns.styles[index])\">\(html)</td>"
        }
        let name = row.entityName == view.entity ? "\(row.key)" : "\(row.entityName) \(row.key)"
        let version = row.version.map { String($0) } ?? "-"
        return
            "<tr data-key=\"\(row.key)\" data-version=\"\(version)\"><th scope=\"row\"><a href=\"\(source.links.object(row.entityName, row.key))\">\(name)</a></th>\(cells)</tr>\n"
    }

    private var pages: HTML {
        var parts: [HTML] = []
        if page.hasPrevious {
            parts.append("<a href=\"\(address(view.changed { _ in }))\">First page</a>")
            parts.append(
                link(page.previous, "rel=\"prev\">Previous page") { $0.before = page.previous?.text })
        }
        if page.hasNext {
            parts.append(link(page.next, "rel=\"next\">Next page") { $0.after = page.next?.text })
        }
        if parts.isEmpty { return "" }
        return "<nav class=\"pages\" aria-label=\"Pages of objects\">\(parts.joined(by: " "))</nav>"
    }

    /// The most bytes of a cursor in an address, and of each value in it. Servers refuse longer addresses.
    private static let mostBytes = 8_000
    static let cursorLimit = mostBytes / 4 * 3

    private func link(
        _ cursor: PageCursor?, _ rest: HTML, _ change: (inout ObjectsView) -> Void
    ) -> HTML {
        guard let cursor, cursor.text.utf8.count <= Self.mostBytes else { return tooLong }
        return "<a href=\"\(address(view.changed(change)))\" \(rest)</a>"
    }

    private var tooLong: HTML {
        """
        <span class="note">There are more objects, but the values of the sort order are too long for an address. \
        Sort by another property, or narrow the filter.</span>
        """
    }

    /// Links to the values of the columns, also of those that are not shown.
    private var values: HTML {
        let names = source.guide.columns(of: view.entity).prefix(ObjectsView.mostColumns)
        let links = names.compactMap { name -> HTML? in
            valuesAddress(name).map { "<li><a href=\"\($0)\">\(name)</a></li>\n" }
        }
        if links.isEmpty { return "" }
        return """
            <details><summary>Values and their numbers, to find duplicates</summary><ul>\(links)</ul></details>
            """
    }

    private func valuesAddress(_ name: String) -> String? {
        guard ShownColumns.hasValues(name, of: view.entity, source.guide) else { return nil }
        // Without the columns, which the page does not show.
        let query = view.changed { ($0.columns, $0.sort) = ([], []) }.query
        return source.links.page("values", view.entity, name, query: query)
    }

    /// Links to files with all columns, if some are not shown.
    private var whole: HTML {
        let all = source.guide.columns(of: view.entity)
        let hidden = Set(all).subtracting(columns.names)
        guard !hidden.isEmpty, all.count <= ObjectsView.mostColumns else { return "." }
        let others = columns.names.filter { !all.contains($0) }
        return "; with all \(all.count): \(export("csv", all + others)) · \(export("jsonl", all + others))."
    }

    private func export(_ kind: String, _ columns: [String]? = nil) -> HTML {
        let query = view.changed { $0.columns = columns ?? $0.columns }.query
        let target = source.links.page("export", "\(view.entity).\(kind)", query: query)
        return "<a href=\"\(target)\" download>\(kind == "csv" ? "CSV" : "JSON lines")</a>"
    }
}
