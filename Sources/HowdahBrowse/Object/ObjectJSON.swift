import HowdahModel
import HowdahRuntime

/// An object as JSON, without masked values, and with the names of those that the role may not read.
struct ObjectJSON {
    let source: PageSource
    let entity: String
    let key: Int64

    /// Reads the object with one statement, or several in one snapshot if it has more properties than a statement can read.
    func response() async throws -> BrowseResponse {
        _ = try source.guide.entity(entity)
        let names = source.guide.columns(of: entity).filter { !source.guide.isSensitive($0, of: entity) }
        do {
            return try await response(names, unreadable: [])
        } catch  where ErrorWords.refusal(error) != nil {
            let (name, all) = (entity, names)
            let readable = try await source.reader.read { try ReadableColumns.of(all, name, $0) }.value
            if readable.count == names.count { throw error }
            return try await response(readable, unreadable: names.filter { !readable.contains($0) })
        }
    }

    private func response(_ names: [String], unreadable: [String]) async throws -> BrowseResponse {
        var query = BrowseQuery(entityName: entity)
        (query.key, query.limit, query.cut) = (key, 1, RowWriter.cut)
        let (wanted, guide) = (query, source.guide)
        let found = try await source.reader.read { session -> (row: BrowseRow, cells: [BrowseCell])? in
            var (query, left) = (wanted, names[...])
            var cells: [BrowseCell] = []
            while true {
                query.columns = guide.readable(Array(left), of: query.entityName)
                guard let row = try session.context.browse(query).rows.first else { return nil }
                cells += row.cells
                left = left.dropFirst(query.columns.count)
                if left.isEmpty || query.columns.isEmpty { return (row, cells) }
            }
        }.value
        guard let found else {
            throw BrowseError(404, "\(entity) has no object with the key \(key). It may have been deleted.")
        }
        let writer = RowWriter(format: .jsonl, entity: entity, names: names, guide: source.guide)
        let text = writer.json(found.row, found.cells, unreadable: unreadable)
        return BrowseResponse(text + "\n", type: "application/json")
    }
}
