/// A table of texts.
struct TableMarkup {
    let caption: HTML
    let heads: [String]
    let rows: [[HTML]]

    var html: HTML {
        let heads = heads.map { "<th scope=\"col\">\($0)</th>" as HTML }
        let lines = rows.map { values -> HTML in
            let cells = values.enumerated().map { index, content -> HTML in
                index == 0 ? "<th scope=\"row\">\(content)</th>" : "<td>\(content)</td>"
            }
            return "<tr>\(cells)</tr>\n"
        }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="\(caption)"><table><caption>\(caption)</caption>
            <thead><tr>\(heads)</tr></thead>
            <tbody>
            \(lines)</tbody></table></div>

            """
    }
}
