import HowdahDiagram
import HowdahModel

/// The diagram of the model, or its part around an entity. Each entity in it is a link to its structure.
struct DiagramPage {
    let source: PageSource
    /// The entity in the middle; nil for the whole diagram.
    var entity: String?

    /// The size of a part.
    private static let part = (width: 1_100, height: 700)

    /// A rectangle of the picture.
    private struct Cut {
        let left: Int
        let top: Int
        let width = DiagramPage.part.width
        let height = DiagramPage.part.height
    }

    /// The part around the entity; nil if the whole picture is shown, or is not larger.
    private var cut: Cut? {
        let areas = source.drawing.value.areas
        guard let area = areas.first(where: { $0.entityName == entity }) else { return nil }
        let width = 40 + (areas.map(\.right).max() ?? 0)
        let height = 40 + (areas.map(\.bottom).max() ?? 0)
        if width <= Self.part.width, height <= Self.part.height { return nil }
        func start(_ low: Int, _ high: Int, _ part: Int, _ whole: Int) -> Int {
            // Of an entity that is larger, the beginning with its name.
            max(0, min(high - low > part ? low - 20 : (low + high - part) / 2, whole - part))
        }
        return Cut(
            left: start(area.left, area.right, Self.part.width, width),
            top: start(area.top, area.bottom, Self.part.height, height))
    }

    var page: Page {
        let cut = cut
        let areas = source.drawing.value.areas
        let image = source.links.page("diagram.svg")
        let view = cut.map { "#svgView(viewBox(\($0.left),\($0.top),\($0.width),\($0.height)))" } ?? ""
        let size: HTML = cut.map { " width=\"\($0.width)\" height=\"\($0.height)\"" } ?? ""
        let around: HTML =
            cut == nil
            ? ""
            : """
            <p>The part around \(entity ?? "") · <a href="\(source.links.page("diagram"))">whole diagram</a></p>
            \(neighbours)
            """
        let links = source.guide.tree.map { entity, _ -> HTML in
            "<li><a href=\"\(source.links.structure(entity.name))\">\(entity.name)</a></li>"
        }
        // Areas of a map are reached by keyboard, and need neither a script nor styles.
        let seen = areas.compactMap { area in
            guard let cut else { return area }
            return area.seen(left: cut.left, top: cut.top, width: cut.width, height: cut.height)
        }
        let targets = seen.map { area -> HTML in
            """
            <area shape="rect" coords="\(area.left),\(area.top),\(area.right),\(area.bottom)" \
            href="\(source.links.structure(area.entityName))" alt="Structure of \(area.entityName)">

            """
        }
        return Page(
            title: "Diagram", section: .diagram, entity: cut == nil ? nil : entity,
            main: """
                \(around)<div class="diagram" tabindex="0" role="region" aria-label="Diagram"><img usemap="#entities" \
                src="\(image + view)"\(size) alt="The entities of the model and their relationships">
                <map name="entities">\(targets)</map></div>
                <h2>Structures</h2>
                <ul>\(links)</ul>
                """)
    }

    /// The parts around the entities that this one has relationships with, above and below it, which may be outside of its part.
    private var neighbours: HTML {
        guard let entity, let found = source.guide.model[entity] else { return "" }
        let names =
            [found.superentity].compactMap(\.self) + source.guide.model.subentities(of: entity).map(\.name)
            + source.guide.relationships(of: entity).map(\.destination)
        let others = Set(names).subtracting([entity]).sorted()
        if others.isEmpty { return "" }
        let links = others.prefix(60).map { "<a href=\"\(source.links.diagram($0))\">\($0)</a>" as HTML }
        return "<p>Move to: \(links.joined(by: " · "))</p>\n"
    }

    /// The picture, which may have its own styles and no scripts.
    var picture: BrowseResponse {
        var response = BrowseResponse(source.drawing.value.svg, type: "image/svg+xml")
        response.headers.append(
            ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox"))
        return response
    }
}
