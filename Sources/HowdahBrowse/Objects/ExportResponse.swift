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

    /// The number of rows that are in memory at once: of the first page, and at most.
    private static let rows = (first: 10, most: 1_000)
    /// The bytes that a page has if its rows are as long as those before.
    private static let size = 4 << 20

    /// The position after the rows that were sent.
    private enum Place {
        case start
        case after(PageCursor)
        case end
    }

    /// Returns the response; errors of the request are thrown before it begins.
    func response() async throws -> BrowseResponse {
        _ = try source.guide.entity(view.entity)
        // A file has all columns that were chosen, unlike a page.
        let chosen = view.columns.isEmpty ? view.shownColumns(source.guide) : view.columns
        let names = chosen.filter { !source.guide.isSensitive($0, of: view.entity) }
        let groups = ExportRows.groups(names, of: view.entity, source.guide)
        var query = try ObjectsPage(source: source, view: view).query(
            ShownColumns([], of: view.entity, source.guide))
        (query.limit, query.cut, query.cursor, query.isBackward) = (
            Self.rows.first, RowWriter.cut, nil, false
        )
        // No address has the position of an export.
        query.cursorLimit = nil
        let writer = RowWriter(format: format, entity: view.entity, names: names, guide: source.guide)
        let request = query
        let first = try await read(request, groups)
        let state = Mutex<(place: Place, page: ExportRows?, limit: Int)>((.start, first, Self.rows.most))
        let stream = AsyncThrowingStream<[UInt8], any Error> {
            let (place, held, limit) = state.withLock { state in
                defer { state.page = nil }
                return state
            }
            var page = held
            switch place {
            case .end: return nil
            case .start: break
            case .after(let cursor):
                var next = request
                (next.cursor, next.limit) = (cursor, limit)
                page = try await self.read(next, groups)
            }
            guard let page else { return nil }
            var text = ""
            if case .start = place { text = writer.head }
            for (row, cells) in zip(page.rows, page.cells) { text += writer.line(row, cells) }
            let fitting = Self.size * page.rows.count / max(1, text.utf8.count)
            state.withLock { state in
                state.place = page.next.map { .after($0) } ?? .end
                state.limit = min(max(1, fitting), Self.rows.most)
            }
            return Array(text.utf8)
        }
        return BrowseResponse(
            headers: [
                ("Content-Type", format.mediaType),
                ("Content-Disposition", "attachment; filename=\"\(fileName)\""),
            ], body: .stream(stream))
    }

    /// Reads a page; a shorter one if the server stops the statement, which then reads long values.
    private func read(_ query: BrowseQuery, _ groups: [[String]]) async throws -> ExportRows {
        var query = query
        while true {
            let request = query
            do {
                return try await source.reader.read { try ExportRows(request, groups: groups, $0) }.value
            } catch  where ErrorWords.isStopped(error) && query.limit > 1 {
                query.limit = max(1, query.limit / 10)
            }
        }
    }

    /// A name that needs no quoting in a header field.
    private var fileName: String {
        let name = view.entity.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        return String(name) + "." + format.rawValue
    }
}
