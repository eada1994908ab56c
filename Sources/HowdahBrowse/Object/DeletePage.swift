import HowdahModel
import HowdahRuntime

/// The objects that the deletion of an object would take along by the delete rules, and those that would lose their
/// reference to it. Nothing is deleted.
struct DeletePage {
    let source: PageSource
    let entity: String
    let key: Int64
    /// The number of objects after which the page stops.
    var limit = 100_000

    /// The number of objects that are linked for each effect, and of refusals that are shown.
    private static let links = 20

    /// Reads the entity of the row with one statement, and the effects with one for each relationship and level.
    func page() async throws -> Page {
        _ = try source.guide.entity(entity)
        // The library gives temporary ids below zero.
        guard key >= 0 else {
            throw BrowseError(
                400,
                "Deletions of objects with a negative key have no preview. Look at the relationships of the object."
            )
        }
        let (name, key, store) = (entity, key, source.container.storeIdentifier)
        let limit = limit
        let reading = try await source.reader.read(undoing: true) { session -> (String, DeletePreview)? in
            var query = BrowseQuery(entityName: name)
            (query.key, query.limit) = (key, 1)
            guard let row = try session.context.browse(query).rows.first else { return nil }
            let id = ObjectID<ManagedObject>(storeIdentifier: store, entityName: row.entityName, key: key)
            let object = session.context.object(with: id)
            let preview = try session.context.previewDelete(object, upTo: limit, within: .seconds(2))
            return (row.entityName, preview)
        }
        guard let (entity, preview) = reading.value else {
            throw BrowseError(404, "\(name) has no object with the key \(key). It may have been deleted.")
        }
        return Page(
            title: "What deleting \(entity) \(key) takes along", entity: entity, object: (entity, key),
            main: main(preview, entity), sent: reading.sent)
    }

    private func main(_ preview: DeletePreview, _ entity: String) -> HTML {
        let count = preview.deleted.values.reduce(0) { $0 + $1.count } - 1
        let others = count == 1 ? "one other object" : "\(Figures.count(count)) other objects"
        let verdict: HTML =
            preview.issues.isEmpty
            ? ""
            : "<p class=\"error\" role=\"note\">The save of this deletion would fail, for the reasons below.</p>\n"
        var refusals = preview.issues.prefix(Self.links).map { issue in
            "<p class=\"error\" role=\"note\">\(issue.message)</p>\n" as HTML
        }
        let more = preview.issues.count - refusals.count
        if more > 0 {
            refusals.append(
                "<p class=\"error\" role=\"note\">\(Figures.count(more)) more rules refuse.</p>\n")
        }
        let rows =
            preview.deleted.sorted { ($0.key == entity ? "" : $0.key) < ($1.key == entity ? "" : $1.key) }.map
        { row("\($0.key)", "is deleted", $0.value) }
            + preview.nullified.map { loss in
                row("\(loss.entityName)", "loses its \(loss.relationship)", loss.objectIDs)
            }
            + preview.unlinked.map { loss in
                // These are the objects at the other end.
                row(
                    loss.objectIDs.first?.entityName ?? loss.entityName,
                    "is removed from \(loss.relationship) of the deleted \(loss.entityName)", loss.objectIDs)
            }
        return """
            <p role="status">The delete rules would take \
            \(preview.isCut ? "at least " : "")\(others) along. \
            Nothing is deleted here.</p>
            \(preview.isCut ? cut : .empty)\(verdict)\(refusals)\(TableMarkup(
                caption: "Effects of the deletion", heads: ["Entity", "Effect", "Number", "Objects"], rows: rows
            ).html)
            """
    }

    private var cut: HTML {
        """
        <p class="warning" role="note">The page stops after \(Figures.count(limit)) objects or two seconds. Each number is \
        a minimum, and other rules may refuse the deletion.</p>\n
        """
    }

    private func row(_ entity: String, _ effect: String, _ objects: [ObjectID<ManagedObject>]) -> [HTML] {
        let shown = objects.prefix(Self.links).map { id in
            "<a href=\"\(source.links.object(id.entityName, id.key))\">\(id.key)</a> " as HTML
        }
        let more: HTML = objects.count > Self.links ? "…" : ""
        return [HTML(entity), HTML(effect), HTML(Figures.count(objects.count)), "\(shown)\(more)"]
    }
}
