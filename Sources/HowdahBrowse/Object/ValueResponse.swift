import HowdahModel
import HowdahRuntime
import PQClient
import Synchronization

/// A whole value of an attribute, read and sent in parts.
struct ValueResponse {
    let source: PageSource
    let entity: String
    let key: Int64
    let attribute: String

    /// The bytes of a part. For each, the server reads the whole value.
    private static let part = 4 << 20

    /// A part of a value, and the length of all of it.
    private struct Part: Sendable {
        let bytes: [UInt8]
        let length: Int
        let version: Int64?
    }

    /// Returns the response to a request, with the range that it asks for.
    func response(to request: BrowseRequest) async throws -> BrowseResponse {
        guard let found = source.guide.attributes(of: entity).first(where: { $0.name == attribute }),
            found.type.composite == nil
        else { throw BrowseError(404, "\(entity) has no value '\(attribute)'. Open the object again.") }
        if source.guide.isSensitive(attribute, of: entity), request.parameter("unmask") == nil {
            throw BrowseError(403, "\(entity).\(attribute) is masked. Choose show in the object's page.")
        }
        guard let first = try await part(from: 0, count: Self.part) else {
            throw BrowseError(404, "\(entity) \(key) has no value in \(attribute). It may have been deleted.")
        }
        let kind = found.type == .binary ? BlobKind(first.bytes) : nil
        let isText = found.type != .binary
        let range = ByteRange(request.header("range"), length: first.length)
        var headers = [
            (
                name: "Content-Type",
                value: isText ? "text/plain; charset=utf-8" : kind?.mediaType ?? "application/octet-stream"
            ),
            ("Content-Security-Policy", "default-src 'none'; sandbox"), ("Accept-Ranges", "bytes"),
            ("Content-Disposition", isText || kind != nil ? "inline" : "attachment; filename=\"value.bin\""),
        ]
        if let range {
            headers.append(("Content-Range", "bytes \(range.first)-\(range.last)/\(first.length)"))
        }
        let (start, end) = (range?.first ?? 0, (range?.last ?? first.length - 1) + 1)
        headers.append(("Content-Length", String(end - start)))
        return BrowseResponse(
            status: range == nil ? 200 : 206, headers: headers,
            body: .stream(stream(from: start, to: end, version: first.version)))
    }

    /// The bytes, one part at a time as the reader takes them.
    private func stream(
        from start: Int, to end: Int, version: Int64?
    ) -> AsyncThrowingStream<[UInt8], any Error> {
        let position = Mutex(start)
        return AsyncThrowingStream {
            let place = position.withLock { $0 }
            guard place < end else { return nil }
            guard let part = try await self.part(from: place, count: min(Self.part, end - place)),
                part.version == version, !part.bytes.isEmpty
            else {
                throw BrowseError(503, "The object changed while its value was read. Read it again.")
            }
            position.withLock { $0 = place + part.bytes.count }
            return part.bytes
        }
    }

    /// Returns a part of the value; nil if the object or its value does not exist.
    private func part(from start: Int, count: Int) async throws -> Part? {
        let layouts = source.container.store.layouts
        guard let layout = layouts.layout(named: entity), let slot = layout.slotsByName[attribute],
            let place = layout.slots[slot].columns.first
        else { return nil }
        let column = layout.columns[place]
        let text = column.compared("t0")
        let bytes =
            column.type == .bytea
            ? text : "pg_catalog.convert_to((\(text))::pg_catalog.text, 'UTF8')"
        // The server's encoding is UTF-8, so that the length needs no conversion.
        let length = column.type == .bytea ? text : "(\(text))::pg_catalog.text"
        let version = layout.table.version?.compared("t0") ?? "NULL::pg_catalog.int8"
        var parameters = Parameters()
        parameters.append(key)
        parameters.append(.int4) { $0.int32(Int32(clamping: start + 1)) }
        parameters.append(.int4) { $0.int32(Int32(clamping: count)) }
        let sent = parameters
        let sql =
            "SELECT pg_catalog.octet_length(\(length)), pg_catalog.substr(\(bytes), $2, $3), \(version) "
            + "FROM \(layout.table) t0 WHERE \(layout.table.key("t0")) = $1"
        return try await source.reader.read { session -> Part? in
            try session.connection.query(sql, sent, cached: false).map { row -> Part? in
                if row[0].isNull { return nil }
                return Part(
                    bytes: Array(row[1].bytes), length: Int(row[0].int32),
                    version: row[2].isNull ? nil : row[2].int64)
            }.first ?? nil
        }.value
    }
}
