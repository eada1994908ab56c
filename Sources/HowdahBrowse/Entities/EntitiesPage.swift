import HowdahModel
import HowdahRuntime
import HowdahSchema

/// The entities of the store, with the server's estimates of their numbers and sizes.
struct EntitiesPage {
    let source: PageSource
    var order = Order.tree

    /// The order of the entities.
    enum Order: String {
        /// Subentities below their superentities.
        case tree
        case objects, size
    }

    init(source: PageSource, _ request: BrowseRequest) throws {
        self.source = source
        guard let text = request.parameter("sort") else { return }
        guard let order = Order(rawValue: text) else {
            throw BrowseError(400, "'sort' is not tree, objects or size. Use one of these.")
        }
        self.order = order
    }

    /// Reads the figures with one statement.
    func page() async throws -> Page {
        let schema = source.container.store.layouts.schema
        let name = schema.schemaName
        let hasRecord = source.hasRecord
        let reading = try await source.reader.read {
            try TableFigures.all(in: name, hasRecord: hasRecord, on: $0.connection)
        }
        let figures = reading.value.tables
        let rows = sorted(schema, figures).map { entity, depth in
            row(entity, depth, schema.entities[entity.name], figures)
        }
        return Page(
            title: "Entities", section: .entities,
            main: """
                \(warning(reading.value.mark))\(origin)
                <div class="scroll" tabindex="0" role="region" aria-label="Entities of the store"><table>
                <caption>Numbers of objects are the server's estimates.</caption>
                <thead><tr>\(heading("Entity", .tree))\(heading("Objects", .objects))\(heading("Size", .size))\
                <th scope="col" class="wide">Analyzed</th><th scope="col">Structure</th></tr></thead>
                <tbody>
                \(rows)</tbody></table></div>
                \(notes)
                """, sent: reading.sent)
    }

    private func heading(_ name: String, _ order: Order) -> HTML {
        let style: HTML = order == .tree ? "" : " class=\"number\""
        guard order != self.order else {
            let state: HTML = order == .tree ? "" : " aria-sort=\"descending\""
            return "<th scope=\"col\"\(style)\(state)>\(name)\(order == .tree ? "" : " ↓")</th>"
        }
        let query = order == .tree ? [] : [(name: "sort", value: order.rawValue)]
        return
            "<th scope=\"col\"\(style)><a href=\"\(source.links.entities)\(FormText.query(query))\">\(name)</a></th>"
    }

    /// Returns the entities in the order, with their depth.
    private func sorted(
        _ schema: StoreSchema, _ figures: [String: TableFigures]
    ) -> [(entity: EntityDescription, depth: Int)] {
        let tree = source.guide.tree
        func number(_ one: (entity: EntityDescription, depth: Int)) -> Int64 {
            let storage = schema.entities[one.entity.name]
            let found = storage.flatMap { figures[$0.table] }
            // A size is that of the whole hierarchy.
            if order == .size { return one.depth == 0 ? Int64(found?.bytes ?? 0) : -1 }
            return Int64(estimate(storage, found) ?? -1)
        }
        if order == .tree { return tree }
        return tree.enumerated().map { (place: $0, number: number($1), one: $1) }
            .sorted { ($0.number, $1.place) > ($1.number, $0.place) }.map(\.one)
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
        estimate(storage, figures).map { "≈ \(Figures.count($0))" } ?? "<span class=\"null\">unknown</span>"
    }

    private func estimate(_ storage: EntityStorage?, _ figures: TableFigures?) -> Int? {
        guard let storage, let rows = figures?.rows else { return nil }
        guard storage.discriminator != nil, storage.entityName != storage.rootEntity else { return rows }
        let shares = figures?.shares ?? [:]
        if shares.isEmpty { return nil }
        let share = storage.concreteStoredNames.reduce(0) { $0 + (shares[$1] ?? 0) }
        return Int((share * Double(rows)).rounded())
    }
}
