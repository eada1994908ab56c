import Foundation
import Howdah
import Hummingbird

extension Response {
    /// A document as JSON. Its version is the `ETag`.
    static func json(
        _ document: some Encodable, status: HTTPResponse.Status = .ok, version: ObjectVersion? = nil,
        headers: HTTPFields = [:]
    ) throws -> Response {
        .json(try data(of: document), status: status, version: version, headers: headers)
    }

    /// JSON that is written already.
    static func json(
        _ data: Data, status: HTTPResponse.Status = .ok, version: ObjectVersion? = nil,
        headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        headers[.eTag] = version?.entityTag
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: data)))
    }

    static func data(of document: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return try encoder.encode(document)
    }

    static func noContent(version: ObjectVersion? = nil) -> Response {
        var headers = HTTPFields()
        headers[.eTag] = version?.entityTag
        return Response(status: .noContent, headers: headers)
    }
}
