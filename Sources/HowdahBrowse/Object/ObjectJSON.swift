import HowdahModel
import HowdahRuntime

/// An object as JSON, without masked values.
struct ObjectJSON {
    let source: PageSource
    let entity: String
    let key: Int64

    /// Reads the object with one statement.
    func response() async throws -> BrowseResponse {
        _ = try source.guide.entity(entity)
        let names = source.guide.columns(of: entity).filter { !source.guide.isSensitive($0, of: entity) }
        var query = BrowseQuery(entityName: entity)
        query.columns = names
        (query.key, query.limit, query.cut) = (key, 1, 1 << 30)
        let wanted = query
        let page = try await source.reader.read { try $0.context.browse(wanted) }.value
        guard let row = page.rows.first else {
            throw BrowseError(404, "\(entity) has no object with the key \(key). It may have been deleted.")
        }
        let writer = RowWriter(format: .jsonl, entity: entity, names: names, guide: source.guide)
        return BrowseResponse(writer.json(row) + "\n", type: "application/json")
    }
}
