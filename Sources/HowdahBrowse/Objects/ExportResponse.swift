import HowdahModel
import HowdahRuntime
import Synchronization

/// The objects that a table's filter finds, as CSV or JSON lines, read page by page while they are sent.
struct ExportResponse {
    enum Format: String {
        case csv, jsonl

        var mediaType: String { self == .csv ? "text/csv; charset=utf-8" : "application/x-ndjson" }
    }

    let source: PageSource
    let view: ObjectsView
    let format: Format

    /// The number of rows that are in memory at once.
    private static let page = 1_000

    /// The position after the rows that were sent.
    private enum Place {
        case start
        case after(PageCursor)
        case end
    }

    /// Returns the response; errors of the request are thrown before it begins.
    func response() async throws -> BrowseResponse {
        _ = try source.guide.entity(view.entity)
        let names = view.shownColumns(source.guide).filter { !source.guide.isSensitive($0, of: view.entity) }
        // Without labels: the columns are exactly those of the export.
        let columns = ShownColumns(names, of: view.entity, source.guide)
        var query = try ObjectsPage(source: source, view: view).query(columns)
        query.columns = names
        (query.limit, query.cut, query.cursor, query.isBackward) = (Self.page, 1 << 30, nil, false)
        let writer = RowWriter(format: format, entity: view.entity, names: names, guide: source.guide)
        let request = query
        let first = try await read(request)
        let state = Mutex<(place: Place, page: BrowsePage?)>((.start, first))
        let stream = AsyncThrowingStream<[UInt8], any Error> {
            let (place, held) = state.withLock { state in
                defer { state.page = nil }
                return (state.place, state.page)
            }
            var page = held
            switch place {
            case .end: return nil
            case .start: break
            case .after(let cursor):
                var next = request
                next.cursor = cursor
                page = try await self.read(next)
            }
            guard let page else { return nil }
            state.withLock { $0.place = page.next.map { .after($0) } ?? .end }
            var text = ""
            if case .start = place { text = writer.head }
            for row in page.rows { text += writer.line(row) }
            return Array(text.utf8)
        }
        return BrowseResponse(
            headers: [
                ("Content-Type", format.mediaType),
                ("Content-Disposition", "attachment; filename=\"\(fileName)\""),
            ], body: .stream(stream))
    }

    private func read(_ query: BrowseQuery) async throws -> BrowsePage {
        try await source.reader.read { try $0.context.browse(query) }.value
    }

    /// A name that needs no quoting in a header field.
    private var fileName: String {
        let name = view.entity.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        return String(name) + "." + format.rawValue
    }
}
