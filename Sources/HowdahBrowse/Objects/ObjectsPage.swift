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
        let warning: String?
    }

    /// Reads the rows and the plan, with one statement each, and the size of a table that the plan reads as a whole.
    ///
    /// - Parameter hasLabels: Indicates whether labels of related objects are read. If their table is locked, the page is read
    ///   again without.
    func page(hasLabels: Bool = true) async throws -> Page {
        let entity = try source.guide.entity(view.entity)
        let columns = ShownColumns(
            view.shownColumns(source.guide), of: entity.name, source.guide, hasLabels: hasLabels)
        // Links have the columns that are shown.
        let shown = view.columns.isEmpty ? view : view.showing(columns.names)
        let schemaName = source.container.store.layouts.schema.schemaName
        do {
            let query = try query(columns)
            let advice = IndexAdvice(view: view, guide: source.guide)
            let reading = try await source.reader.read { session in
                let page = try session.context.browse(query)
                let plan = try session.context.explain(query).plan
                let scan = try LargeScan(
                    PlanText(plan), limit: query.limit, isFull: page.rows.count == query.limit,
                    in: schemaName, on: session.connection)
                return Found(page: page, plan: plan, warning: scan?.warning(advice))
            }
            let found = reading.value
            // Separate, because a count that is stopped ends its transaction.
            let count = view.isCounted ? try await ExactCount(of: query, source.reader) : nil
            let table = ObjectsTable(
                source: source, view: shown, columns: columns, page: found.page, plan: found.plan,
                count: count
            )
            return Page(
                title: entity.name, entity: entity.name,
                main: """
                    \(head(nil))
                    \(warning(found.warning ?? slow(reading.sent)))
                    \(leftOut(columns))\(hasLabels ? "" : source.unlabelled)
                    \(table.html)
                    """, sent: reading.sent + (count?.sent ?? []), plan: found.plan,
                code: code)
        } catch let error as PredicateTreeError {
            if let fault = sortFault(error) {
                return Page(
                    status: 400, title: entity.name, entity: entity.name, main: head(nil, sort: fault))
            }
            if faulty(view.columns, error) != nil { return refusal(error.message) }
            let fault = FilterFault(
                error, in: view.filter ?? "", of: entity.name, source.guide, source.preview)
            return Page(status: 400, title: entity.name, entity: entity.name, main: head(fault))
        } catch  where columns.hasLabels && ErrorWords.isLocked(error) {
            return try await page(hasLabels: false)
        } catch  where ErrorWords.isStopped(error) {
            return try await stopped(query(columns), error)
        } catch let error as FetchError where error.code == .invalidRequest {
            return refusal(error.message)
        }
    }

    /// Returns a page with the form and an error of the columns, the order or the position.
    private func refusal(_ message: String) -> Page {
        Page(
            status: 400, title: view.entity, entity: view.entity,
            main: "\(head(nil))<p class=\"error\" role=\"alert\">\(message)</p>")
    }

    /// Returns a page for a fetch that took too long, with its plan and an index that may help.
    private func stopped(_ query: BrowseQuery, _ error: any Error) async throws -> Page {
        let reading = try await source.reader.read { session in
            let preview = try session.context.explain(query)
            return (sql: preview.sql, plan: preview.plan)
        }
        let sent = SentStatement(sql: reading.value.sql, duration: .seconds(2), rows: 0, isStopped: true)
        let advice = IndexAdvice(view: view, guide: source.guide)
        let (status, message) = ErrorWords.of(error)
        let index = advice.code.map { entity, code in
            "<p>This fetch index of \(entity) may help:</p>\n<pre><code>\(code)</code></pre>" as HTML
        }
        let patterns: HTML =
            advice.patterns.map { "<p>No fetch index serves \($0) in a filter.</p>\n" } ?? ""
        let search = view.filter.flatMap { SmallerSearch($0, label: source.guide.label(of: view.entity)) }
        let smaller: HTML =
            search.map { search in
                let target = source.links.objects(
                    view.entity, query: view.changed { $0.filter = search.filter }.query)
                return "<p>\(search.words) <a href=\"\(target)\">\(search.filter)</a></p>\n"
            } ?? ""
        return Page(
            status: status, title: view.entity, entity: view.entity,
            main: """
                \(head(nil))
                <div class="error" role="alert"><p>\(message)</p>\(smaller)\(patterns)\(index)</div>
                """, sent: [sent] + reading.sent, plan: reading.value.plan,
            code: code)
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
        try checkOwner()
        var query = BrowseQuery(entityName: view.entity)
        query.columns = columns.paths
        query.sortDescriptors = view.sortKeys
        query.limit = view.rows
        query.cursorLimit = ObjectsTable.cursorLimit
        query.owner = view.owner
        query.isBackward = view.before != nil
        query.cursor = (view.before ?? view.after).map { PageCursor($0) }
        query.predicate = try view.filter.map { try PredicateTree(filter: $0) }
        return query
    }

    /// Checks that the entity can have members of the view's object.
    private func checkOwner() throws {
        let model = source.guide.model
        guard let owner = view.owner,
            let relationship = model.property(named: owner.relationshipName, of: owner.entityName)?
                .relationship
        else { return }
        let (own, end) = (model.lineage(of: view.entity), model.lineage(of: relationship.destination))
        guard !own.contains(where: { $0.name == relationship.destination }),
            !end.contains(where: { $0.name == view.entity })
        else { return }
        throw BrowseError(
            400, "'of' names a relationship to \(relationship.destination). Open the list from its object.")
    }

    /// Returns the key path that an error is about; nil if it can be about the filter.
    private func faulty(_ paths: [String], _ error: PredicateTreeError) -> String? {
        // The first name in the words is the wrong one, and others are suggestions.
        guard
            let name = error.message.split(separator: "'", omittingEmptySubsequences: false).dropFirst()
                .first,
            name.isEmpty || view.filter?.contains(name) != true
        else { return nil }
        if name.isEmpty { return paths.first { $0.isEmpty || $0.hasSuffix(".") || $0.contains("..") } }
        return paths.first { $0 == name || $0.split(separator: ".").contains(name) }
    }

    /// Returns the words about a key of the order that the model does not have, and the table with the words of SQL as a minus;
    /// nil if the fault is in the filter.
    private func sortFault(_ error: PredicateTreeError) -> (message: String, mended: ObjectsView?)? {
        let paths = view.sort.map { $0.hasPrefix("-") ? String($0.dropFirst()) : $0 }
        guard faulty(paths, error) != nil else { return nil }
        let directions = ["asc": "", "ascending": "", "desc": "-", "descending": "-"]
        let mended = view.changed { view in
            view.sort = view.sort.map { key in
                let words = key.split(separator: " ").map(String.init)
                guard words.count == 2, let direction = directions[words[1].lowercased()] else { return key }
                return direction + words[0]
            }
        }
        let isKnown = mended.sort.allSatisfy { key in
            let name = (key.hasPrefix("-") ? key.dropFirst() : key[...]).prefix { $0 != "." }
            return source.guide.model.property(named: String(name), of: view.entity) != nil
        }
        if mended.sort != view.sort, isKnown { return (error.message, mended) }
        return ("\(error.message) A minus before a key path sorts in descending order.", nil)
    }

    /// The Swift of the same fetch.
    private var code: String? { SwiftCode(view: view, guide: source.guide).text }

    private func head(
        _ fault: FilterFault?, sort: (message: String, mended: ObjectsView?)? = nil
    ) -> HTML {
        """
        \(owner)<p><a href="\(source.links.structure(view.entity))">structure</a> · \
        <a href="\(source.links.diagram(view.entity))">diagram</a></p>
        \(FilterForm(source: source, view: view, fault: fault, sortFault: sort).html)
        """
    }

    /// The time after which a page is called slow.
    private static let slowTime = Duration.milliseconds(500)

    /// Returns words about statements that took long, although they read few rows.
    private func slow(_ sent: [SentStatement]) -> String? {
        let time = sent.reduce(Duration.zero) { $0 + $1.duration }
        if time < Self.slowTime { return nil }
        return "The statements took \(SentFoot.milliseconds(time)). The plan at the foot has the reason."
    }

    private func warning(_ text: String?) -> HTML {
        text.map { "<p class=\"warning\" role=\"note\">\($0)</p>" } ?? ""
    }

    /// A note that the table has fewer columns than were chosen.
    private func leftOut(_ columns: ShownColumns) -> HTML {
        guard !view.columns.isEmpty, columns.names.count < view.columns.count else { return "" }
        return """
            <p class="warning" role="note">The first \(columns.names.count) of the \
            \(Figures.count(view.columns.count)) columns that you chose are shown.</p>
            """
    }

    private var owner: HTML {
        guard let owner = view.owner else { return "" }
        let name = "\(owner.entityName) \(owner.key)"
        let object = source.links.object(owner.entityName, owner.key)
        let relationship = source.guide.model.property(named: owner.relationshipName, of: owner.entityName)?
            .relationship
        let order: HTML =
            relationship?.isOrdered == true && view.sort.isEmpty
            ? " <span class=\"note\">The table is in the order of keys, not in that of the relationship.</span>"
            : ""
        return """
            <p>Members of \(owner.relationshipName) of <a rel="up" href="\(object)">\(name)</a> · \
            <a href="\(source.links.objects(view.entity))">all objects</a>\(order)</p>
            """
    }
}
