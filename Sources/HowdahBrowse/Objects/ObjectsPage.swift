import HowdahModel
import HowdahRuntime

/// A table of objects of an entity.
struct ObjectsPage {
    let source: PageSource
    let view: ObjectsView

    /// The rows and the plan of their statement.
    private struct Found: Sendable {
        let page: BrowsePage
        let plan: [String]
    }

    /// Reads the rows and the plan, with one statement each.
    func page() async throws -> Page {
        let entity = try source.guide.entity(view.entity)
        let columns = ShownColumns(view.shownColumns(source.guide), of: entity.name, source.guide)
        do {
            let query = try query(columns)
            let reading = try await source.reader.read { session in
                let page = try session.context.browse(query)
                return Found(page: page, plan: try session.context.explain(query).plan)
            }
            let found = reading.value
            return Page(
                title: entity.name, entity: entity.name,
                main: """
                    \(head(nil))
                    \(ObjectsTable(source: source, view: view, columns: columns, page: found.page, plan: found.plan).html)
                    """, sent: reading.sent, plan: found.plan, code: SwiftCode(view: view).text)
        } catch let error as PredicateTreeError {
            let fault = FilterFault(error, in: view.filter ?? "", of: entity.name, source.guide.model)
            return Page(status: 400, title: entity.name, entity: entity.name, main: head(fault))
        }
    }

    /// Returns the request for the rows.
    ///
    /// - Throws: `PredicateTreeError`; `BrowseError` for a masked property in the order.
    func query(_ columns: ShownColumns) throws -> BrowseQuery {
        for key in view.sort {
            let path = key.hasPrefix("-") ? String(key.dropFirst()) : key
            guard source.guide.isSensitive(path, of: view.entity) else { continue }
            throw BrowseError(
                400, "'\(path)' is masked, and its order would show it. Sort by another property.")
        }
        var query = BrowseQuery(entityName: view.entity)
        query.columns = columns.paths
        query.sortDescriptors = view.sortKeys
        query.limit = view.rows
        query.owner = view.owner
        query.isBackward = view.before != nil
        query.cursor = (view.before ?? view.after).map { PageCursor($0) }
        query.predicate = try view.filter.map { try PredicateTree(format: $0) }
        return query
    }

    private func head(_ fault: FilterFault?) -> HTML {
        """
        \(owner)
        \(FilterForm(source: source, view: view, fault: fault).html)
        """
    }

    private var owner: HTML {
        guard let owner = view.owner else { return "" }
        let name = "\(owner.entityName) \(owner.key)"
        let object = source.links.object(owner.entityName, owner.key)
        return """
            <p>Members of \(owner.relationshipName) of <a href="\(object)">\(name)</a> · \
            <a href="\(source.links.objects(view.entity))">all objects</a></p>
            """
    }
}
