/// A table of texts.
struct TableMarkup {
    let caption: HTML
    let heads: [String]
    let rows: [[HTML]]

    var html: HTML {
        let heads = heads.map { "<th scope=\"col\">\($0)</th>" as HTML }
        let rows = rows.map { row -> HTML in
            let cells = row.enumerated().map { index, cell -> HTML in
                index == 0 ? "<th scope=\"row\">\(cell)</th>" : "<td>\(cell)</td>"
            }
            return "<tr>\(cells)</tr>\n"
        }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="\(caption)"><table><caption>\(caption)</caption>
            <thead><tr>\(heads)</tr></thead>
            <tbody>
            \(rows)</tbody></table></div>

            """
    }
}
