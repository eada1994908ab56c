/// A table of texts.
struct TableMarkup {
    let caption: HTML
    let heads: [String]
    let rows: [[HTML]]

    var html: HTML {
        let classes = heads.indices.map { isNumeric($0) ? " class=\"number\"" : "" as HTML }
        let heads = heads.enumerated().map { index, name -> HTML in
            "<th scope=\"col\"\(classes[index])>\(name)</th>"
        }
        let lines = rows.map { values -> HTML in
            let cells = values.enumerated().map { index, content -> HTML in
                let style = index < classes.count ? classes[index] : HTML.empty
                return index == 0
                    ? "<th scope=\"row\"\(style)>\(content)</th>" : "<td\(style)>\(content)</td>"
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

    /// The text of a link, if a cell is one.
    private static func withoutLink(_ text: String) -> Substring {
        guard text.hasPrefix("<a "), text.hasSuffix("</a>"), let end = text.firstIndex(of: ">") else {
            return text[...]
        }
        return text[text.index(after: end)...].dropLast(4)
    }

    /// Indicates whether a column has at least one number, and only numbers and missing values.
    private func isNumeric(_ column: Int) -> Bool {
        let texts = rows.compactMap { column < $0.count ? Self.withoutLink($0[column].text) : nil }
        let values = texts.filter { !$0.isEmpty && !$0.hasPrefix("<span class=\"null\">") }
        return !values.isEmpty
            && values.allSatisfy { value in
                let digits = value.hasSuffix(" ms") ? value.dropLast(3) : value
                return digits.contains { $0.isNumber }
                    && digits.allSatisfy { $0.isASCII && ($0.isNumber || "+-.,".contains($0)) }
            }
    }
}
