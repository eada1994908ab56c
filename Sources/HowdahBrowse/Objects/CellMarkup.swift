import HowdahRuntime

/// The markup of values.
struct CellMarkup {
    let links: Links
    let row: BrowseRow

    /// Returns a value.
    ///
    /// - Parameters:
    ///   - name: The attribute, for the link to the whole value.
    ///   - label: The label of the object if the value is one.
    func html(_ cell: BrowseCell, name: String, label: String?, isSensitive: Bool) -> HTML {
        switch cell {
        case .null: return "<span class=\"null\">nil</span>"
        case _ where isSensitive:
            return
                "<span class=\"null\">masked</span> <a href=\"\(links.value(row.entityName, row.key, name))?unmask=yes\">show</a>"
        case .text("", nil): return "<span class=\"null\">empty text</span>"
        case .text(let text, nil): return Self.clamped(text)
        case .text(let text, let size?):
            return "\(Self.clamped(text))<span class=\"cut\">… \(whole(name, Figures.bytes(size)))</span>"
        case .data(let bytes, let size):
            let kind = BlobKind(bytes)
            return "<span class=\"cut\">\(kind?.name ?? "data"), \(whole(name, Figures.bytes(size)))</span>"
        case .object(let key, let entity):
            // A script must not take the key for the value of the label.
            let mark: HTML = label == nil ? " class=\"key\"" : ""
            return "<a\(mark) href=\"\(links.object(entity, key))\">\(label ?? "\(entity) \(key)")</a>"
        case .parts(let parts): return composite(parts, name)
        }
    }

    /// A text that a table shows in few lines.
    private static func clamped(_ text: String) -> HTML {
        text.utf8.count > 60 ? "<span class=\"long\">\(text)</span>" : HTML(text)
    }

    private func whole(_ name: String, _ size: String) -> HTML {
        if name.contains(".") { return HTML(size) }
        return "<a href=\"\(links.value(row.entityName, row.key, name))\">\(size)</a>"
    }

    private func composite(_ parts: [BrowseCell.Part], _ name: String) -> HTML {
        let shown = parts.filter { $0.cell != .null }
        let short = shown.compactMap { part in
            if case .text(let text, _) = part.cell { text } else { nil }
        }
        let rows = parts.map { part -> HTML in
            let cell = html(part.cell, name: "\(name).\(part.name)", label: nil, isSensitive: false)
            return "<dt>\(part.name)</dt><dd>\(cell)</dd>"
        }
        return
            "<details><summary>\(short.joined(separator: ", ").prefix(60))</summary><dl>\(rows)</dl></details>"
    }
}
