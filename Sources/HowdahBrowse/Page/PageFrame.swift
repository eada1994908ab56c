import HowdahModel

/// The parts that all pages have: the navigation, the tree of entities, and what was sent.
struct PageFrame: Sendable {
    let links: Links
    let guide: ModelGuide
    /// The database, the host and the role, without a password.
    let place: String
    /// Indicates whether the program has a report.
    let hasReport: Bool

    /// Returns a page as a document.
    func document(_ page: Page) -> HTML {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(page.title) – howdah browse</title>
        <link rel="stylesheet" href="\(links.stylesheet)">
        <script src="\(links.script)" data-root="\(links.prefix)" defer></script>
        <link rel="icon" href="\(links.icon)" type="image/svg+xml">
        </head>
        <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header>
        <p class="brand"><a href="\(links.entities)">howdah browse</a> <span class="badge">read only</span></p>
        <p class="place">\(place)</p>
        <nav aria-label="Pages"><ul>\(sections(page))</ul></nav>
        </header>
        <div class="body">
        <nav class="tree" aria-label="Entities"><details open><summary>Entities</summary>
        <ul>\(tree(page))</ul></details></nav>
        <main id="main" tabindex="-1">
        \(trail(page))<h1>\(page.title)</h1>
        \(page.main)
        </main>
        </div>
        <footer>\(SentFoot(page: page).html)</footer>
        </body>
        </html>

        """
    }

    /// The pages above a page about an entity.
    private func trail(_ page: Page) -> HTML {
        guard let entity = page.entity else { return "" }
        var steps = [(links.entities, "Entities")]
        if page.title != entity { steps.append((links.objects(entity), entity)) }
        if let (entity, key) = page.object { steps.append((links.object(entity, key), "\(entity) \(key)")) }
        let items = steps.enumerated().map { number, step -> HTML in
            let mark: HTML = number == steps.count - 1 ? " rel=\"up\"" : ""
            return "<a href=\"\(step.0)\"\(mark)>\(step.1)</a>"
        }
        return "<nav class=\"trail\" aria-label=\"Pages above\">\(items.joined(by: " › "))</nav>\n"
    }

    private func sections(_ page: Page) -> [HTML] {
        let report: [(Page.Section, HTML, String)] =
            hasReport ? [(.report, "Report", links.page("report"))] : []
        let sections: [(Page.Section, HTML, String)] =
            [
                (.entities, "Entities", links.entities), (.diagram, "Diagram", links.page("diagram")),
                (.migrations, "Migrations", links.page("migrations")),
                (.doctor, "Doctor", links.page("doctor")), (.activity, "Activity", links.page("activity")),
            ] + report + [(.sql, "SQL", links.page("sql"))]
        return sections.map { section, name, target in
            let mark: HTML = section == page.section ? " aria-current=\"page\"" : ""
            return "<li><a href=\"\(target)\"\(mark)>\(name)</a></li>"
        }
    }

    /// The most entities in the tree; of more, those around the one of the page.
    private static let mostEntities = 200

    private func tree(_ page: Page) -> [HTML] {
        let all = guide.tree
        guard all.count > Self.mostEntities else { return items(all[...], page) }
        let place = all.firstIndex { $0.entity.name == page.entity } ?? 0
        let first = min(max(0, place - Self.mostEntities / 2), all.count - Self.mostEntities)
        let link: HTML =
            "<li><a href=\"\(links.entities)\">All \(Figures.count(all.count)) entities</a></li>\n"
        return [link] + items(all[first..<first + Self.mostEntities], page)
    }

    private func items(
        _ entities: ArraySlice<(entity: EntityDescription, depth: Int)>, _ page: Page
    ) -> [HTML] {
        entities.map { entity, depth in
            let mark: HTML = entity.name == page.entity ? " aria-current=\"true\"" : ""
            let name: HTML = entity.isAbstract ? "<i>\(entity.name)</i>" : "\(entity.name)"
            return
                "<li class=\"depth\(min(depth, 6))\"><a href=\"\(links.objects(entity.name))\"\(mark)>\(name)</a></li>\n"
        }
    }
}
