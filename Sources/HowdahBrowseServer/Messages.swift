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
                    for try await part in parts { try await writer.write(ByteBuffer(bytes: part)) }
                    try await writer.finish(nil)
                }
            }
        self.init(status: HTTPResponse.Status(code: response.status), headers: fields, body: body)
    }
}
#endif
