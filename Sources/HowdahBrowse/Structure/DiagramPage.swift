import HowdahDiagram
import HowdahModel

/// The diagram of the model, in which each entity is a link to its structure.
struct DiagramPage {
    let source: PageSource

    var page: Page {
        let links = source.guide.tree.map { entity, _ -> HTML in
            "<li><a href=\"\(source.links.structure(entity.name))\">\(entity.name)</a></li>"
        }
        // Areas of a map are reached by keyboard, and need neither a script nor styles.
        let areas = source.drawing.value.areas.map { area -> HTML in
            """
            <area shape="rect" coords="\(area.left),\(area.top),\(area.right),\(area.bottom)" \
            href="\(source.links.structure(area.entityName))" alt="Structure of \(area.entityName)">

            """
        }
        return Page(
            title: "Diagram", section: .diagram,
            main: """
                <div class="diagram" tabindex="0" role="region" aria-label="Diagram"><img usemap="#entities" \
                src="\(source.links.page("diagram.svg"))" alt="The entities of the model and their relationships">
                <map name="entities">\(areas)</map></div>
                <h2>Structures</h2>
                <ul>\(links)</ul>
                """)
    }

    /// The picture, which may have its own styles and no scripts.
    var picture: BrowseResponse {
        var response = BrowseResponse(source.drawing.value.svg, type: "image/svg+xml")
        response.headers.append(
            ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox"))
        return response
    }
}
