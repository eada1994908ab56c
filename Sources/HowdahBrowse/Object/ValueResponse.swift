import HowdahModel
import HowdahRuntime
import Synchronization

/// A whole value of an attribute, read and sent in parts.
struct ValueResponse {
    let source: PageSource
    let entity: String
    let key: Int64
    let attribute: String

    /// Returns the response to a request, with the range that it asks for.
    func response(to request: BrowseRequest) async throws -> BrowseResponse {
        guard let found = source.guide.attributes(of: entity).first(where: { $0.name == attribute }),
            found.type.composite == nil
        else { throw BrowseError(404, "\(entity) has no value '\(attribute)'. Open the object again.") }
        if source.guide.isSensitive(attribute, of: entity), request.parameter("unmask") == nil {
            throw BrowseError(403, "\(entity).\(attribute) is masked. Choose show in the object's page.")
        }
        guard let value = try await StoredValue.find(attribute, of: key, entity, source.reader) else {
            throw BrowseError(404, "\(entity) \(key) has no value in \(attribute). It may have been deleted.")
        }
        let isText = found.type != .binary
        let kind = isText ? nil : value.kind
        let range = ByteRange(request.header("range"), length: value.length)
        var headers = [
            (
                name: "Content-Type",
                value: isText ? "text/plain; charset=utf-8" : kind?.mediaType ?? "application/octet-stream"
            ),
            ("Content-Security-Policy", "default-src 'none'; sandbox"), ("Accept-Ranges", "bytes"),
            ("Content-Disposition", isText || kind != nil ? "inline" : "attachment; filename=\"value.bin\""),
        ]
        if let range {
            headers.append(("Content-Range", "bytes \(range.first)-\(range.last)/\(value.length)"))
        }
        let sent = (range?.first ?? 0)..<(range?.last ?? value.length - 1) + 1
        headers.append(("Content-Length", String(sent.count)))
        var response = BrowseResponse(status: range == nil ? 200 : 206, headers: headers)
        if request.method != "HEAD" { response.body = .stream(try await stream(value, sent)) }
        return response
    }

    /// Returns the bytes, one part at a time as the client takes them. The first is read before the response begins.
    ///
    /// - Throws: `BrowseError` if the server cannot read the value within the limit of a page.
    private func stream(
        _ value: StoredValue, _ range: Range<Int>
    ) async throws -> AsyncThrowingStream<[UInt8], any Error> {
        let first: [UInt8]
        do {
            first = range.isEmpty ? [] : try await value.bytes(range)
        } catch  where ErrorWords.isStopped(error) {
            throw BrowseError(503, tooLong(value))
        }
        let state = Mutex<(place: Int, held: [UInt8])>((range.lowerBound, first))
        return AsyncThrowingStream {
            let (place, held) = state.withLock { state in
                defer { state.held = [] }
                return state
            }
            guard place < range.upperBound else { return nil }
            let bytes = held.isEmpty ? try await value.bytes(place..<range.upperBound) : held
            state.withLock { $0.place = place + bytes.count }
            return bytes
        }
    }

    private func tooLong(_ value: StoredValue) -> String {
        """
        The server reads \(attribute), which has \(Figures.bytes(value.length)), for longer than 2 s. Get it with psql: \
        psql --no-align --tuples-only --output value.txt --command '\(value.query)'
        """
    }
}
