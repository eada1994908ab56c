import HowdahDiagram
import HowdahModel

/// The diagram of the model, with links to the structure of each entity.
struct DiagramPage {
    let source: PageSource

    var page: Page {
        let links = source.guide.tree.map { entity, _ -> HTML in
            "<li><a href=\"\(source.links.structure(entity.name))\">\(entity.name)</a></li>"
        }
        return Page(
            title: "Diagram", section: .diagram,
            main: """
                <div class="diagram" tabindex="0" role="region" aria-label="Diagram"><img \
                src="\(source.links.page("diagram.svg"))" alt="The entities of the model and their relationships"></div>
                <h2>Structures</h2>
                <ul>\(links)</ul>
                """)
    }

    /// The picture, which may have its own styles and no scripts.
    var picture: BrowseResponse {
        var response = BrowseResponse(ModelDiagram(source.guide.model).svg, type: "image/svg+xml")
        response.headers.append(
            ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox"))
        return response
    }
}
