import HowdahModel
import HowdahRuntime

/// The entities of the store, with the server's estimates of their numbers and sizes.
struct EntitiesPage {
    let source: PageSource

    /// Reads the figures with one statement.
    func page() async throws -> Page {
        let schema = source.container.store.layouts.schema
        let name = schema.schemaName
        let hasRecord = source.hasRecord
        let reading = try await source.reader.read {
            try TableFigures.all(in: name, hasRecord: hasRecord, on: $0.connection)
        }
        let figures = reading.value.tables
        let rows = source.guide.tree.map { entity, depth in
            row(entity, depth, schema.entities[entity.name], figures)
        }
        return Page(
            title: "Entities", section: .entities,
            main: """
                \(warning(reading.value.mark))\(origin)
                <div class="scroll" tabindex="0" role="region" aria-label="Entities of the store"><table>
                <caption>Numbers of objects are the server's estimates.</caption>
                <thead><tr><th scope="col">Entity</th><th scope="col" class="number">Objects</th>\
                <th scope="col" class="number">Size</th>\
                <th scope="col" class="wide">Analyzed</th><th scope="col">Structure</th></tr></thead>
                <tbody>
                \(rows)</tbody></table></div>
                \(notes)
                """, sent: reading.sent)
    }

    /// A line about a model that no store has.
    private var origin: HTML {
        source.hasRecord
            ? "" : "<p class=\"note\">The schema has no store. The model is made from the tables.</p>"
    }

    /// A line that says that the store is another one now.
    private func warning(_ mark: RecordMark?) -> HTML {
        guard let text = mark?.warning(source.container) else { return "" }
        return "<p class=\"warning\" role=\"note\">\(text)</p>"
    }

    private var notes: HTML {
        if source.notes.isEmpty { return "" }
        let items = source.notes.map { "<li>\($0)</li>\n" as HTML }
        return
            "<details><summary>Tables and columns that are shown in part, or not</summary><ul>\(items)</ul></details>"
    }

    private func row(
        _ entity: EntityDescription, _ depth: Int, _ storage: EntityStorage?,
        _ figures: [String: TableFigures]
    ) -> HTML {
        let found = storage.flatMap { figures[$0.table] }
        let name: HTML = entity.isAbstract ? "<i>\(entity.name)</i>" : "\(entity.name)"
        let size: HTML = depth == 0 ? found.map(self.size) ?? "" : ""
        return """
            <tr><th scope="row" class="depth\(min(depth, 6))">\
            <a href="\(source.links.objects(entity.name))">\(name)</a></th>\
            <td class="number">\(count(storage, found))</td><td class="number">\(size)</td>\
            <td class="short wide">\(found?.analyzedAt ?? "never")</td>\
            <td><a href="\(source.links.structure(entity.name))" aria-label="Structure of \(entity.name)">structure</a></td></tr>

            """
    }

    private func size(_ figures: TableFigures) -> HTML {
        figures.bytes.map { HTML(Figures.bytes($0)) }
            ?? "<a href=\"\(source.links.locks)\">locked</a>"
    }

    /// The estimate for an entity with its subentities.
    private func count(_ storage: EntityStorage?, _ figures: TableFigures?) -> HTML {
        guard let storage, let rows = figures?.rows else { return "<span class=\"null\">unknown</span>" }
        guard storage.discriminator != nil, storage.entityName != storage.rootEntity else {
            return "≈ \(Figures.count(rows))"
        }
        let shares = figures?.shares ?? [:]
        if shares.isEmpty { return "<span class=\"null\">unknown</span>" }
        let share = storage.concreteStoredNames.reduce(0) { $0 + (shares[$1] ?? 0) }
        return "≈ \(Figures.count(Int((share * Double(rows)).rounded())))"
    }
}
