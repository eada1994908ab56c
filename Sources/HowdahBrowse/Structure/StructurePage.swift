import HowdahModel
import HowdahRuntime
import HowdahSchema

/// The structure of an entity: its properties with their rules, its indexes, and its table.
struct StructurePage {
    let source: PageSource
    let name: String

    private var guide: ModelGuide { source.guide }

    /// Describes the model and sends no statement.
    func page() throws -> Page {
        let entity = try guide.entity(name)
        return Page(
            title: "Structure of \(name)", entity: name,
            main: """
                <p>\(kind(entity)) · <a rel="up" href="\(source.links.objects(name))">objects</a> · \
                <a href="\(source.links.diagram(name))">diagram</a></p>
                \(attributes)
                \(relationships)
                \(constraints(entity))
                \(table)
                """)
    }

    private func kind(_ entity: EntityDescription) -> HTML {
        var parts: [HTML] = [entity.isAbstract ? "<i>abstract entity</i>" : "entity"]
        if let parent = entity.superentity {
            parts.append("below <a href=\"\(source.links.structure(parent))\">\(parent)</a>")
        }
        let children = guide.model.subentities(of: name).map(\.name).sorted().map { child -> HTML in
            "<a href=\"\(source.links.structure(child))\">\(child)</a>"
        }
        if !children.isEmpty { parts.append("above \(children.joined(by: ", "))") }
        return parts.joined(by: ", ")
    }

    private var attributes: HTML {
        let rows = guide.model.properties(of: name).compactMap(\.attribute).map { attribute -> [HTML] in
            let words = AttributeWords(attribute: attribute)
            let masked: HTML = guide.isSensitive(attribute.name, of: name) ? " · masked" : ""
            return [HTML(attribute.name), HTML(words.type), "\(words.rules)\(masked)"]
        }
        return TableMarkup(caption: "Attributes", heads: ["Name", "Type", "Rules"], rows: rows).html
    }

    private var relationships: HTML {
        let rows = guide.model.properties(of: name).compactMap(\.relationship).map { one -> [HTML] in
            let destination = source.links.structure(one.destination)
            var kind = one.isToMany ? (one.isOrdered ? "ordered to-many" : "to-many") : "to-one"
            if !one.isOptional { kind += ", required" }
            if one.isTransient { kind += ", transient" }
            return [
                HTML(one.name), "<a href=\"\(destination)\">\(one.destination)</a>", HTML(kind),
                HTML(one.inverse ?? "none"), HTML(Self.words(of: one.deleteRule)),
            ]
        }
        if rows.isEmpty { return "<p>No relationships.</p>" }
        let table = TableMarkup(
            caption: "Relationships", heads: ["Name", "Destination", "Kind", "Inverse", "Delete rule"],
            rows: rows
        ).html
        return """
            \(table)
            <p class="note">A delete rule says what happens to the destinations if \(name) is deleted. Saves of the library \
            enforce it. For other programs, the column that refers to a row has ON DELETE with the rule of the other side: \
            CASCADE for cascade, SET NULL for nullify, NO ACTION for deny and for a required reference.</p>
            """
    }

    private static func words(of rule: DeleteRule) -> String {
        switch rule {
        case .nullify: "nullify: ends the reference of the destination"
        case .cascade: "cascade: deletes the destination"
        case .deny: "deny: refuses while a destination exists"
        default: "no action"
        }
    }

    private static func words(of element: FetchIndexElement) -> String {
        let name =
            switch element.subject {
            case .property(let name), .expression(let name): name
            case .folded(let name, _): "\(name) without case or accents"
            case .localized(let name, let locale): "\(name) as in \(locale)"
            }
        return element.isAscending ? name : name + " descending"
    }

    private func constraints(_ entity: EntityDescription) -> HTML {
        let lineage = guide.model.lineage(of: name)
        let uniques = lineage.flatMap(\.uniquenessConstraints).map { names -> HTML in
            "<li>Unique: \(names.joined(separator: ", "))</li>"
        }
        let indexes = lineage.flatMap { $0.fetchIndexes }.map { index -> HTML in
            let rows = index.partialIndexPredicate.map { " where \($0)" } ?? ""
            let names = index.elements.map { Self.words(of: $0) }.joined(separator: ", ")
            return "<li>Fetch index \(index.name): \(names)\(rows)</li>"
        }
        if uniques.isEmpty, indexes.isEmpty { return "" }
        return "<h2>Uniqueness and fetch indexes</h2>\n<ul>\(uniques)\(indexes)</ul>"
    }

    private var table: HTML {
        let schema = source.container.store.layouts.schema
        guard let storage = schema.entities[name], let table = schema.table(named: storage.table) else {
            return ""
        }
        let space = schema.schemaName
        let statements =
            [table.creation(in: schema)] + table.uniques.map { $0.creation(on: table, in: space) }
            + table.foreignKeys.map { $0.creation(on: table, in: space) }
            + table.indexes.map { $0.creation(on: table, in: space) }
        return """
            <h2>Table \(table.name)</h2>
            <p class="note">These statements are made from the model. The database can have other types, constraints and \
            indexes: see <a href="\(source.links.page("migrations"))">Migrations</a>.</p>
            <pre><code>\(statements.joined(separator: ";\n") + ";")</code></pre>
            """
    }
}
