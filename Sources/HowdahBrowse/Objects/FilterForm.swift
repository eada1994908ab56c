import HowdahModel
import HowdahRuntime

/// The form above a table: the filter, the order, the columns and the number of rows.
struct FilterForm {
    let source: PageSource
    let view: ObjectsView
    let fault: FilterFault?
    /// The words about the order, and the table in the order that was probably meant; nil if it has no fault.
    let sortFault: (message: String, mended: ObjectsView?)?

    var html: HTML {
        let filter = view.filter ?? ""
        let state: HTML =
            fault == nil ? "" : " aria-invalid=\"true\" aria-describedby=\"fault\" autofocus"
        return """
            <form method="get" action="\(source.links.objects(view.entity))" role="search" data-entity="\(view.entity)">
            <label for="where">Filter</label>
            <input type="text" id="where" name="where" value="\(filter)" autocomplete="off" spellcheck="false" \
            placeholder="\(example)"\(state)>
            \(complaint)
            <div class="row">
            <p><label for="sort">Sort by key paths</label>
            <input type="text" id="sort" name="sort" value="\(view.sort.joined(separator: ","))" autocomplete="off" \
            placeholder="-name for descending"\(sortState)></p>
            <p><label for="rows">Rows</label> <select id="rows" name="rows">\(rowChoices)</select></p>
            <p><button>Show</button></p>
            </div>
            \(sortComplaint)
            \(kept)
            <details><summary>Columns\(number)</summary><fieldset><legend>Shown columns</legend>\(columns)\(unlisted)
            <p><label for="path">Another key path</label>
            <input type="text" id="path" name="column" autocomplete="off" spellcheck="false"></p>
            <p class="choice"><button>Show these columns</button></p></fieldset></details>
            </form>
            """
    }

    private var sortState: HTML {
        sortFault == nil ? "" : " aria-invalid=\"true\" aria-describedby=\"sort-fault\" autofocus"
    }

    private var sortComplaint: HTML {
        guard let sortFault else { return "" }
        let mend: HTML =
            sortFault.mended.map { mended in
                let target = source.links.objects(view.entity, query: mended.query)
                return " Did you mean <a href=\"\(target)\">\(mended.sort.joined(separator: ","))</a>?"
            } ?? ""
        return "<p class=\"error\" id=\"sort-fault\" role=\"alert\">\(sortFault.message)\(mend)</p>"
    }

    /// A filter with properties of the entity.
    private var example: String {
        let attributes = source.guide.attributes(of: view.entity)
        let text = attributes.first { $0.type == .string }.map {
            "\(PredicateTree.filterPath($0.name)) BEGINSWITH \"S\""
        }
        let number = attributes.first { [.integer32, .integer64, .decimal].contains($0.type) }.map {
            "\(PredicateTree.filterPath($0.name)) > 10"
        }
        return [text, number].compactMap { $0 }.joined(separator: " AND ")
    }

    private var complaint: HTML {
        guard let fault else { return "" }
        if let count = fault.searchedCount, let mended = fault.mended {
            return search(mended, count)
        }
        let place: HTML =
            fault.parts.map { parts in
                "<pre>\(parts.before)<mark>\(parts.token.isEmpty ? "▲" : parts.token)</mark>\(parts.after)</pre>"
            } ?? ""
        let mend: HTML =
            fault.mended.map { mended in
                let target = target(mended, of: view.entity)
                return target.map { "<p>Did you mean <a href=\"\($0)\">\(mended)</a>?</p>" }
                    ?? "<p>Did you mean \(mended)?</p>"
            } ?? ""
        let others = view.owner == nil ? fault.subentities.prefix(20) : []
        let links = others.compactMap { name in
            target(view.filter ?? "", of: name).map { "<a href=\"\($0)\">\(name)</a>" as HTML }
        }
        let subentity: HTML = links.isEmpty ? "" : "<p>Filter \(links.joined(by: " or ")) instead.</p>"
        return """
            <div class="error" id="fault" role="alert"><p>\(fault.message)</p>\(place)\(mend)\(subentity)</div>
            """
    }

    /// Words that are no condition, with a link to a search for them.
    private func search(_ filter: String, _ count: Int) -> HTML {
        let texts = count == 1 ? "the text" : "the \(count) texts"
        let offer: HTML =
            target(filter, of: view.entity).map { target in
                "<a href=\"\(target)\">Find “\(view.filter ?? "")”</a> in \(texts) of \(view.entity)"
            } ?? "Shorten the words to search for them"
        return """
            <div class="warning" id="fault" role="alert"><p>The filter is not a condition such as <code>\(example)</code>. \
            \(offer).\(searchBelow)</p></div>
            """
    }

    /// Links to the same search in subentities, which have more texts.
    private var searchBelow: HTML {
        if view.owner != nil { return "" }
        let all = source.guide.model.descendants(of: view.entity).filter { below in
            below.name != view.entity
                && below.properties.contains {
                    $0.attribute.map { $0.type == .string && $0.isStored } ?? false
                }
        }
        let links = all.prefix(8).compactMap { below -> HTML? in
            guard let search = WordSearch(view.filter ?? "", of: below.name, source.guide) else { return nil }
            return target(search.filter, of: below.name).map { "<a href=\"\($0)\">\(below.name)</a>" }
        }
        return links.isEmpty ? "" : " More texts have: \(links.joined(by: ", "))."
    }

    /// Returns the address of the table of an entity with a filter; nil if it is too long.
    private func target(_ filter: String, of entity: String) -> String? {
        // Another entity has other columns.
        let query = view.changed {
            $0.filter = filter
            if entity != view.entity { $0.columns = [] }
        }.query
        let target = source.links.objects(entity, query: query)
        return BrowseRequest(target: target).isTooLong ? nil : target
    }

    private var rowChoices: [HTML] {
        ObjectsView.rowChoices.map { count in
            let mark: HTML = count == view.rows ? " selected" : ""
            return "<option\(mark)>\(count)</option>"
        }
    }

    /// The members' owner, which the form does not change.
    private var kept: HTML {
        guard let owner = view.owner else { return "" }
        let text = "\(owner.entityName)/\(owner.key)/\(owner.relationshipName)"
        return "<input type=\"hidden\" name=\"of\" value=\"\(text)\">"
    }

    /// The numbers of shown and of all columns; empty if all are shown.
    private var number: String {
        let shown = view.shownColumns(source.guide).count
        let all = source.guide.columns(of: view.entity).count
        return shown < all ? " (\(shown) of \(Figures.count(all)))" : ""
    }

    /// A note about columns without a box.
    private var unlisted: HTML {
        let count = source.guide.columns(of: view.entity).count
        guard count > ObjectsView.mostColumns else { return "" }
        return """
            <p class="note">The first \(ObjectsView.mostColumns) of \(Figures.count(count)) columns are listed. Write \
            another one as a key path.</p>
            """
    }

    private var columns: [HTML] {
        let shown = view.shownColumns(source.guide)
        let all = source.guide.columns(of: view.entity).prefix(ObjectsView.mostColumns)
        // In the order of the table, which is the one that the form sends.
        return (shown + all.filter { !shown.contains($0) }).map { name in
            let mark: HTML = shown.contains(name) ? " checked" : ""
            return
                "<label><input type=\"checkbox\" name=\"column\" value=\"\(name)\"\(mark)> \(name)</label> "
        }
    }
}
