#if Browser || All
import HTTPTypes
import HowdahBrowse
import Hummingbird
import NIOCore

extension BrowseRequest {
    /// Creates a request from one of Hummingbird, which has `Host` apart from the other fields.
    init(_ request: Request, body: ByteBuffer) {
        var headers = request.headers.filter { $0.name != .cookie }.map { field in
            (name: field.name.rawName, value: field.value)
        }
        // Of HTTP/2, each cookie can be a field of its own.
        let cookies = request.headers[values: .cookie]
        if !cookies.isEmpty { headers.append(("cookie", cookies.joined(separator: "; "))) }
        if let host = request.head.authority { headers.append(("host", host)) }
        self.init(
            method: request.method.rawValue, target: request.head.path ?? "/", headers: headers,
            body: Array(body.readableBytesView))
    }
}

extension [UInt8] {
    /// The bytes in buffers that are made one at a time, so that only one of them waits for the client.
    var pieces: some Sequence<ByteBuffer> {
        let length = 256 << 10
        return stride(from: 0, to: count, by: length).lazy.map { first in
            ByteBuffer(bytes: self[first..<Swift.min(first + length, count)])
        }
    }
}

extension Response {
    /// Creates a response of Hummingbird, whose parts are read as fast as the client takes them.
    init(_ response: BrowseResponse) {
        var fields = HTTPFields()
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        let body =
            switch response.body {
            case .bytes(let bytes): ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
            case .stream(let parts):
                ResponseBody { writer in
                    for try await part in parts {
                        for piece in part.pieces { try await writer.write(piece) }
                    }
                    try await writer.finish(nil)
                }
            }
        self.init(status: HTTPResponse.Status(code: response.status), headers: fields, body: body)
    }
}
#endif
