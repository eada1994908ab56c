import HowdahDiagram
import HowdahModel

/// The diagram of the model, or of an entity and its neighbours. Each entity in it is a link to its structure.
struct DiagramPage {
    let source: PageSource
    /// The entity that is drawn with its neighbours; nil for the whole diagram.
    var entity: String?

    /// The most neighbours that are drawn.
    private static let drawn = 40

    /// The entities that this one has relationships with, and its superentity and subentities, by their names.
    private var neighbours: [String] {
        guard let entity, let found = source.guide.model[entity] else { return [] }
        let others = source.guide.model.entities.filter { other in
            other.properties.contains { $0.relationship?.destination == entity }
        }
        let names =
            [found.superentity].compactMap(\.self) + source.guide.model.subentities(of: entity).map(\.name)
            + source.guide.relationships(of: entity).map(\.destination) + others.map(\.name)
        return Set(names).subtracting([entity]).sorted()
    }

    private var drawing: (svg: String, areas: [EntityArea]) {
        guard let entity else { return source.drawing.value }
        return source.drawing.part(Set(neighbours.prefix(Self.drawn) + [entity]))
    }

    var page: Page {
        let areas = drawing.areas
        let image = source.links.page("diagram.svg", query: entity.map { [("entity", $0)] } ?? [])
        let links = source.guide.tree.map { entity, _ -> HTML in
            "<li><a href=\"\(source.links.structure(entity.name))\">\(entity.name)</a></li>"
        }
        // Areas of a map are reached by keyboard, and need neither a script nor styles.
        let targets = areas.map { area -> HTML in
            """
            <area shape="rect" coords="\(area.left),\(area.top),\(area.right),\(area.bottom)" \
            href="\(source.links.structure(area.entityName))" alt="Structure of \(area.entityName)">

            """
        }
        return Page(
            title: "Diagram", section: .diagram, entity: entity,
            main: """
                \(around)<div class="diagram" tabindex="0" role="region" aria-label="Diagram"><img usemap="#entities" \
                src="\(image)" alt="The entities of the model and their relationships">
                <map name="entities">\(targets)</map></div>
                <h2>Structures</h2>
                <ul>\(links)</ul>
                """)
    }

    /// The way to the whole diagram, and to the neighbours of each neighbour.
    private var around: HTML {
        guard let entity else { return "" }
        let names = neighbours
        let links = names.prefix(200).map { "<a href=\"\(source.links.diagram($0))\">\($0)</a>" as HTML }
        let more =
            names.count > Self.drawn ? " The first \(Self.drawn) of \(names.count) neighbours are drawn." : ""
        let move: HTML = links.isEmpty ? "" : "<p>Move to: \(links.joined(by: " · "))</p>\n"
        return """
            <p>\(entity) and its neighbours.\(more) <a href="\(source.links.page("diagram"))">Whole diagram</a></p>
            \(move)
            """
    }

    /// The picture, which may have its own styles and no scripts.
    var picture: BrowseResponse {
        var response = BrowseResponse(drawing.svg, type: "image/svg+xml")
        response.headers.append(
            ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox"))
        return response
    }
}
