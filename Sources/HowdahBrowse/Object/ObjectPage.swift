import Foundation
import HowdahModel
import HowdahRuntime
import PQClient

/// An object: its values, the objects that it refers to, and the first members of its to-manys.
struct ObjectPage {
    let source: PageSource
    let entity: String
    let key: Int64

    /// The number of members that are shown of each relationship.
    private static let members = 20

    private struct Found: Sendable {
        let object: Values
        let members: [Members]
        /// The role, if it may not read related objects or values.
        let role: String?

        var row: BrowseRow { object.row }
        var columns: ShownColumns { object.columns }
    }

    private struct Values: Sendable {
        let row: BrowseRow
        let columns: ShownColumns
        /// The properties that the role may not read.
        var unreadable: [String] = []
        /// The properties whose tables another session has locked.
        var locked: [String] = []
    }

    private struct Members: Sendable {
        let relationship: RelationshipDescription
        let columns: ShownColumns
        /// The first members; nil if the role may not read them.
        let page: BrowsePage?
        /// The server's words about the right that the role lacks.
        let refusal: String?
        /// Indicates whether another session has the table locked.
        let isLocked: Bool
    }

    /// Reads the row with one statement, and the members with one for each to-many.
    func page() async throws -> Page {
        _ = try source.guide.entity(entity)
        let (guide, name, key) = (source.guide, entity, key)
        let reading = try await source.reader.read { session -> Found? in
            guard var object = try Self.values(name, key, guide, session) else { return nil }
            if object.row.entityName != name {
                guard let own = try Self.values(object.row.entityName, key, guide, session) else {
                    return nil
                }
                object = own
            }
            let row = object.row
            let members = try guide.toManys(of: row.entityName).map {
                try Self.members($0, of: row, guide, session)
            }
            let isRefused =
                !object.unreadable.isEmpty || members.contains { $0.page == nil && !$0.isLocked }
            let role =
                isRefused
                ? try session.connection.query("SELECT current_user::pg_catalog.text", cached: false)
                    .scalar { $0.string() } : nil
            return Found(object: object, members: members, role: role)
        }
        guard let found = reading.value else {
            throw BrowseError(404, "\(entity) has no object with the key \(key). It may have been deleted.")
        }
        return Page(
            title: title(found), entity: found.row.entityName, main: main(found), sent: reading.sent,
            code: "let object = try context.existingObject(with: id)  // \(uri(found.row))")
    }

    /// Returns the row, without labels of related objects and without values if the role may not read these.
    private static func values(
        _ entity: String, _ key: Int64, _ guide: ModelGuide, _ session: BrowseReader.Session
    ) throws -> Values? {
        // Its owners are looked for first.
        let owners = guide.toOnes(of: entity).map(\.name)
        let names = guide.readable(owners + guide.attributes(of: entity).map(\.name), of: entity)
        let labelled = ShownColumns(names, of: entity, guide)
        let plain = ShownColumns(names, of: entity, guide, hasLabels: false)
        var (refusal, isLocked): (String?, Bool) = (nil, false)
        if labelled.paths.count > names.count,
            let found = try session.unlessUnreadable(
                noting: &refusal, &isLocked, { try row(entity, key, labelled, session) })
        {
            return found.map { Values(row: $0, columns: labelled) }
        }
        if let found = try session.unlessUnreadable(
            noting: &refusal, &isLocked, { try row(entity, key, plain, session) })
        {
            return found.map { Values(row: $0, columns: plain) }
        }
        if isLocked {
            let own = names.filter { guide.model.property(named: $0, of: entity)?.attribute != nil }
            let part = ShownColumns(own, of: entity, guide, hasLabels: false)
            return try row(entity, key, part, session).map {
                Values(row: $0, columns: part, locked: names.filter { !own.contains($0) })
            }
        }
        let readable = try ReadableColumns.of(names, entity, session)
        let part = ShownColumns(readable, of: entity, guide, hasLabels: false)
        return try row(entity, key, part, session).map {
            Values(row: $0, columns: part, unreadable: names.filter { !readable.contains($0) })
        }
    }

    private static func row(
        _ entity: String, _ key: Int64, _ columns: ShownColumns, _ session: BrowseReader.Session
    ) throws -> BrowseRow? {
        var query = BrowseQuery(entityName: entity)
        query.columns = columns.paths
        (query.key, query.limit, query.cut) = (key, 1, 2_000)
        return try session.context.browse(query).rows.first
    }

    private static func members(
        _ relationship: RelationshipDescription, of row: BrowseRow, _ guide: ModelGuide,
        _ session: BrowseReader.Session
    ) throws -> Members {
        var query = BrowseQuery(entityName: relationship.destination)
        let columns = ShownColumns(
            guide.label(of: relationship.destination).map { [$0] } ?? [], of: relationship.destination, guide)
        query.columns = columns.paths
        (query.limit, query.cut) = (members, 100)
        query.owner = .init(
            entityName: row.entityName, relationshipName: relationship.name, key: row.key)
        var (refusal, isLocked): (String?, Bool) = (nil, false)
        let page = try session.unlessUnreadable(noting: &refusal, &isLocked) {
            try session.context.browse(query)
        }
        return Members(
            relationship: relationship, columns: columns, page: page, refusal: refusal, isLocked: isLocked)
    }

    private func title(_ found: Found) -> String {
        let name = "\(found.row.entityName) \(found.row.key)"
        guard let label = source.guide.label(of: found.row.entityName),
            let place = found.columns.paths.firstIndex(of: label),
            case .text(let text, _) = found.row.cells[place], text.contains(where: { !$0.isWhitespace })
        else { return name }
        return "\(text.prefix(80)) · \(name)"
    }

    private func uri(_ row: BrowseRow) -> String {
        ObjectID<ManagedObject>(
            storeIdentifier: source.container.storeIdentifier, entityName: row.entityName, key: row.key
        ).uriRepresentation.absoluteString
    }

    private func main(_ found: Found) -> HTML {
        let row = found.row
        let markup = CellMarkup(links: source.links, row: row)
        let values = found.columns.names.indices.map { index -> HTML in
            let name = found.columns.names[index]
            let html = markup.html(
                row.cells[index], name: name, label: found.columns.label(index, in: row),
                isSensitive: found.columns.isSensitive[index])
            return
                "<dt>\(name)</dt><dd>\(html)\(picture(row.cells[index], name, row))\(same(row.cells[index], name, row))</dd>\n"
        }
        let version: HTML = row.version.map { "<dt>_version</dt><dd>\($0)</dd>" } ?? ""
        return """
            <p><a rel="up" href="\(source.links.objects(row.entityName))">All of \(row.entityName)</a> · \
            <a href="\(source.links.structure(row.entityName))">structure</a> · \
            <a href="\(source.links.page("json", row.entityName, String(row.key)))">JSON</a> · \
            <a href="\(source.links.page("delete", row.entityName, String(row.key)))">what deleting takes along</a></p>
            \(leftOut(found))
            \(unreadable(found))\(locked(found))
            <dl>\(values)\(version)<dt>URI</dt><dd><code>\(uri(row))</code></dd></dl>
            \(found.members.map { list($0, row, found.role) })
            """
    }

    /// A note that the object has more properties than are shown.
    private func leftOut(_ found: Found) -> HTML {
        let all = source.guide.columns(of: found.row.entityName)
        let count = found.columns.names.count + found.object.unreadable.count + found.object.locked.count
        guard count < all.count else { return "" }
        return """
            <p class="warning" role="note">The first \(count) of \(Figures.count(all.count)) \
            properties are shown. Choose others as columns of the table, or read all as JSON.</p>
            """
    }

    /// A note about values that the role may not read.
    private func unreadable(_ found: Found) -> HTML {
        if found.object.unreadable.isEmpty { return "" }
        return """
            <p class="warning" role="note">The role \(found.role ?? "") may not read these values: \
            \(found.object.unreadable.joined(separator: ", ")). <code>GRANT SELECT</code> on their columns to the role.</p>
            """
    }

    /// A note about related objects whose tables are locked.
    private func locked(_ found: Found) -> HTML {
        if found.object.locked.isEmpty { return "" }
        return """
            <p class="warning" role="note">These cannot be read, because another session has a table locked: \
            \(found.object.locked.joined(separator: ", ")). See <a href="\(source.links.locks)">locked tables</a>.</p>
            """
    }

    /// A link to the objects with the same value.
    private func same(_ cell: BrowseCell, _ name: String, _ row: BrowseRow) -> HTML {
        guard cell != .null, !source.guide.isSensitive(name, of: row.entityName),
            let attribute = source.guide.model.property(named: name, of: row.entityName)?.attribute,
            let filter = SameValue(attribute: attribute, cell: cell).filter
        else { return "" }
        let target = source.links.objects(row.entityName, query: [("where", filter)])
        return
            " <a class=\"note\" href=\"\(target)\" aria-label=\"Objects with the same \(name)\">find the same \(name)</a>"
    }

    /// An image of a kind that is safe to show.
    private func picture(_ cell: BrowseCell, _ name: String, _ row: BrowseRow) -> HTML {
        guard case .data(let bytes, let size) = cell, BlobKind(bytes) != nil, size <= 8 << 20,
            !source.guide.isSensitive(name, of: row.entityName)
        else { return "" }
        return
            "<br><img src=\"\(source.links.value(row.entityName, row.key, name))\" alt=\"Value of \(name)\">"
    }

    private func list(_ members: Members, _ row: BrowseRow, _ role: String?) -> HTML {
        let relationship = members.relationship
        if members.isLocked {
            return """
                <h2>\(relationship.name)</h2>
                <p class="warning" role="note">Another session has the table of \(relationship.destination) locked: see \
                <a href="\(source.links.locks)">locked tables</a>.</p>

                """
        }
        guard let page = members.page else {
            return """
                <h2>\(relationship.name)</h2>
                <p class="warning" role="note">The role \(role ?? "") may not read these objects: \
                \(members.refusal ?? ""). <code>GRANT SELECT</code> on that table to the role.</p>

                """
        }
        let owner = "\(row.entityName)/\(row.key)/\(relationship.name)"
        let all = source.links.objects(relationship.destination, query: [("of", owner)])
        let items = page.rows.map { member -> HTML in
            var label = "\(member.entityName) \(member.key)"
            if case .text(let text, _)? = member.cells.first, text.contains(where: { !$0.isWhitespace }) {
                label = text
            }
            return "<li><a href=\"\(source.links.object(member.entityName, member.key))\">\(label)</a></li>"
        }
        let inverse = relationship.inverse.map { ", inverse \($0)" } ?? ""
        let shown = !page.hasNext ? "\(items.count)" : "first \(items.count)"
        return """
            <h2>\(relationship.name)</h2>
            <p class="note">\(shown) of \(relationship.destination)\(inverse) · <a href="\(all)">all of them</a></p>
            <ul>\(items)</ul>

            """
    }
}
