import Foundation
import HowdahModel
import HowdahRuntime
import PQClient

/// The rows of a table's page that changed since the browser had them, by one statement with the primary key.
struct RowVersions {
    let source: PageSource
    let entity: String
    /// The key and the mark of each row, such as `4.1.7342`: the version, and the transaction that wrote the row.
    private let known: [Int64: String]
    /// The snapshot of the page; nil if the browser does not have it.
    private let snapshot: RowSnapshot?

    /// - Throws: `BrowseError` for an unknown entity, a text that is not such a list, and for too many rows.
    init(_ text: String, since: String? = nil, of entity: String, _ source: PageSource) throws {
        (self.source, self.entity) = (source, entity)
        _ = try source.guide.entity(entity)
        let parts = text.split(separator: ",")
        let pairs = parts.compactMap { part -> (Int64, String)? in
            guard let dot = part.firstIndex(of: "."), let key = Int64(part[..<dot]) else { return nil }
            return (key, String(part[part.index(after: dot)...]))
        }
        guard pairs.count == parts.count, pairs.count <= (ObjectsView.rowChoices.max() ?? 0) else {
            throw BrowseError(400, "The list of rows cannot be read. Load the page again.")
        }
        snapshot = try since.map { text in
            guard let snapshot = RowSnapshot(text) else {
                throw BrowseError(400, "'since' is not a snapshot. Load the page again.")
            }
            return snapshot
        }
        known = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    private struct Answer: Encodable {
        /// The new marks, by key.
        var rows: [String: String] = [:]
        /// The keys of rows that do not exist.
        var gone: [String] = []
        /// The keys of rows without a known mark that were written after the page was read.
        var written: [String] = []
    }

    func response() async throws -> BrowseResponse {
        let schema = source.container.store.layouts.schema
        guard let storage = schema.entities[entity] else { throw BrowseError.noEntity(entity) }
        let table = SQLIdentifier.quoted(schema.schemaName, storage.table)
        let key = SQLIdentifier.quoted(storage.keyColumn)
        let version = storage.versionColumn.map { "t.\(SQLIdentifier.quoted($0))::pg_catalog.text" } ?? "'-'"
        let sql =
            "SELECT t.\(key)::pg_catalog.int8, \(version), t.xmin::pg_catalog.text FROM \(table) t WHERE t.\(key) = ANY($1)"
        let keys = known.keys.sorted()
        let marks = try await source.reader.read { session -> [Int64: String] in
            var parameters = Parameters()
            parameters.append(keys)
            let result = try session.connection.query(sql, parameters, cached: false)
            let pairs = result.map { ($0[0].int64, "\($0[1].string()).\($0[2].string())") }
            return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        }
        var answer = Answer()
        for (key, mark) in known {
            guard let found = marks.value[key] else {
                answer.gone.append(String(key))
                continue
            }
            if found != mark { answer.rows[String(key)] = found }
            if !mark.contains("."), let writer = found.split(separator: ".").last.flatMap({ UInt32($0) }),
                snapshot?.shows(writer) == false
            {
                answer.written.append(String(key))
            }
        }
        return BrowseResponse(
            String(decoding: try JSONEncoder().encode(answer), as: UTF8.self), type: "application/json")
    }
}
