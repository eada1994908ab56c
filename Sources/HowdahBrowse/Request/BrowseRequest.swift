/// A request to the pages of a ``BrowseSite``.
///
/// It has no HTTP package's type, so you can make one from the request of any server.
public struct BrowseRequest: Sendable {
    /// The method in capitals, such as `GET`.
    public var method: String
    /// The path without the query, still percent-encoded.
    public var path: String
    /// The query's names and values in their order, decoded.
    public var query: [(name: String, value: String)]
    /// The header fields; names compare without case.
    public var headers: [(name: String, value: String)]
    /// The body.
    public var body: [UInt8]
    /// Indicates whether the query was UTF-8, so that no value differs from the one that was sent.
    let isQueryText: Bool
    /// The number of bytes of the target.
    let targetLength: Int
    /// The most bytes of a target. Servers refuse requests of about 80 kB with their header fields, before a page can
    /// say why.
    private static let longestTarget = 64_000
    /// The most bytes of what a reader writes, such as a filter. The links of a page add an order and a position.
    private static let longestText = 40_000
    /// The parameters that the links of a page change.
    private static let changed: Set = ["sort", "rows", "count", "of", "after", "before"]

    /// Creates a request from the target of its request line.
    ///
    /// - Parameter target: The path and the query, such as `/objects/Employee?where=salary%20%3E%2010`.
    public init(
        method: String = "GET", target: String, headers: [(name: String, value: String)] = [],
        body: [UInt8] = []
    ) {
        self.method = method
        targetLength = target.utf8.count
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts[0])
        query = parts.count > 1 ? FormText.fields(of: String(parts[1])) : []
        isQueryText = parts.count < 2 || FormText.isText(String(parts[1]))
        self.headers = headers
        self.body = body
    }

    /// Indicates whether the target is too long, or one of the links of its page would be.
    ///
    /// Browsers encode fewer characters than links do, so the length is that of a link.
    var isTooLong: Bool {
        if targetLength > Self.longestTarget { return true }
        let text = FormText.query(query.filter { !Self.changed.contains($0.name) })
        return text.utf8.count > Self.longestText
    }

    /// Returns the value of a header field; nil if there is none, or more than one.
    func header(_ name: String) -> String? {
        let found = headers.filter { $0.name.lowercased() == name }
        return found.count == 1 ? found[0].value : nil
    }

    /// Indicates whether no browser says that a page of another site sent the request.
    var isFromOwnPage: Bool {
        headers.allSatisfy { $0.name.lowercased() != "sec-fetch-site" || $0.value == "same-origin" }
    }

    /// Returns the first value of a name in the query; nil if it is missing or empty.
    func parameter(_ name: String) -> String? {
        query.first { $0.name == name && !$0.value.isEmpty }?.value
    }

    /// Returns all values of a name in the query.
    func parameters(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }

    /// The decoded parts of the path.
    var segments: [String] {
        path.split(separator: "/").map { FormText.decoded(String($0), plusIsSpace: false) }
    }
}
