import HowdahModel
import HowdahRuntime

/// The different values of a property among the objects of a table, with their numbers, the most frequent one first.
struct ValuesPage {
    let source: PageSource
    let view: ObjectsView
    /// The attribute or to-one relationship.
    let name: String

    /// The number of objects that are looked at.
    private static let objects = 500_000
    /// The number of values that are shown.
    private static let values = 100

    /// Counts with one statement.
    ///
    /// - Parameter hasLabels: Indicates whether labels of related objects are read. If their table is locked, the values are
    ///   counted again without.
    func page(hasLabels: Bool = true) async throws -> Page {
        let entity = try source.guide.entity(view.entity)
        guard ShownColumns.hasValues(name, of: entity.name, source.guide) else {
            throw BrowseError(
                400,
                "'\(name)' is not an attribute or to-one relationship of \(entity.name) whose values can be compared. Open the "
                    + "page from the list of objects.")
        }
        let columns = ShownColumns([name], of: entity.name, source.guide, hasLabels: hasLabels)
        let title = "Values of \(name)"
        do {
            var query = try ObjectsPage(source: source, view: view.changed { $0.sort = [] }).query(columns)
            (query.limit, query.cursor) = (Self.values, nil)
            let request = query
            let reading = try await source.reader.read {
                try $0.context.values(request, among: Self.objects)
            }
            return Page(
                title: title, entity: entity.name,
                main: "\(head)\(hasLabels ? "" : source.unlabelled)\(table(reading.value, columns))",
                sent: reading.sent)
        } catch let error as PredicateTreeError {
            return Page(
                status: 400, title: title, entity: entity.name,
                main: "\(head)<p class=\"error\" role=\"alert\">\(error.message)</p>")
        } catch  where columns.hasLabels && ErrorWords.isLocked(error) {
            return try await page(hasLabels: false)
        } catch  where ErrorWords.isStopped(error) {
            return Page(
                status: 503, title: title, entity: entity.name,
                main: """
                    \(head)<p class="error" role="alert">Counting took longer than 2 s and was stopped. Narrow the filter of \
                    the list.</p>
                    """)
        }
    }

    private var list: String { source.links.objects(view.entity, query: view.changed { _ in }.query) }

    /// A link to the list, if it is another one than that of all objects.
    private var head: HTML {
        if view.filter == nil, view.owner == nil { return "" }
        let members = view.owner.map { " of \($0.relationshipName) of \($0.entityName) \($0.key)" } ?? ""
        let filter = members + (view.filter.map { " where \($0)" } ?? "")
        return "<p><a rel=\"up\" href=\"\(list)\">\(view.entity)\(filter)</a></p>\n"
    }

    private func table(_ values: BrowseValues, _ columns: ShownColumns) -> HTML {
        let rows = values.groups.map { group -> [HTML] in
            let row = BrowseRow(key: 0, version: nil, entityName: view.entity, cells: group.cells)
            let target = self.objects(with: group.cells[0]).map {
                source.links.objects(view.entity, query: $0.query)
            }
            let value = self.value(row, columns)
            let isObject = if case .object = group.cells[0] { true } else { false }
            return [
                target.map { isObject ? value : "<a href=\"\($0)\">\(value)</a>" } ?? value,
                target.map { "<a href=\"\($0)\">\(Figures.count(group.count))</a>" }
                    ?? HTML(Figures.count(group.count)),
            ]
        }
        let objects = Figures.count(values.objectCount)
        let number = values.valueCount == 1 ? "One value" : "\(Figures.count(values.valueCount)) values"
        let among =
            values.objectCount == Self.objects
            ? "the first \(objects) objects that the server read" : "\(objects) objects"
        let shown =
            values.valueCount > rows.count ? ". The \(rows.count) most frequent ones are shown" : ""
        let property = source.guide.model.property(named: name, of: view.entity)
        let isOptional = property?.attribute?.isOptional ?? property?.relationship?.isOptional ?? false
        let missing =
            isOptional && values.valueCount > 1 ? " Objects without one count as the value nil." : ""
        return """
            <p role="status">\(number) among \(among)\(shown).\(missing)</p>
            \(TableMarkup(caption: "Values of \(name)", heads: ["Value", "Objects"], rows: rows).html)
            """
    }

    private func value(_ row: BrowseRow, _ columns: ShownColumns) -> HTML {
        // A longer value is cut: there is no object that has all of it.
        if case .text(let text, _?) = row.cells[0] { return "\(text)<span class=\"cut\">…</span>" }
        return CellMarkup(links: source.links, row: row).html(
            row.cells[0], name: name, label: columns.label(0, in: row), isSensitive: false)
    }

    /// The table of the objects with a value; nil if no filter or relationship finds them.
    private func objects(with cell: BrowseCell) -> ObjectsView? {
        let property = source.guide.model.property(named: name, of: view.entity)
        if case .object(let key, let destination) = cell {
            guard view.owner == nil, let inverse = property?.relationship?.inverse,
                let back = source.guide.model.property(named: inverse, of: destination)?.relationship,
                back.isToMany
            else { return nil }
            return view.changed {
                $0.owner = .init(entityName: destination, relationshipName: inverse, key: key)
            }
        }
        let test =
            cell == .null
            ? "\(PredicateTree.filterPath(name)) == nil"
            : property?.attribute.flatMap { SameValue(attribute: $0, cell: cell).filter }
        guard let test, (try? PredicateTree(filter: test)) != nil else { return nil }
        return view.changed { $0.filter = $0.filter.map { "(\($0)) AND \(test)" } ?? test }
    }
}
