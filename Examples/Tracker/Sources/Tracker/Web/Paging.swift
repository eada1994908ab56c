import Howdah
import Hummingbird

/// The page of a list that a client asks for: `limit`, `after` and `sort`.
struct Paging {
    let limit: Int
    let after: PageCursor?
    let sort: [SortKey<Issue>]

    private static let sortable: Set<String> = ["number", "priority", "createdAt", "dueOn"]

    init(_ request: Request) throws {
        let query = request.uri.queryParameters
        let names = (query["sort"].map(String.init) ?? "number").split(
            separator: ",", omittingEmptySubsequences: false)
        guard names.count <= 4 else {
            throw ProblemDetails(400, "invalidSort", "Sort by at most 4 properties.")
        }
        (limit, after) = try Self.place(request)
        sort = try names.map { name in
            let keyPath = String(name.trimmingPrefix("-"))
            guard Self.sortable.contains(keyPath) else {
                throw ProblemDetails(
                    400, "invalidSort", "Sort by \(Self.sortable.sorted().joined(separator: ", ")).")
            }
            return .key(keyPath, ascending: !name.hasPrefix("-"))
        }
    }

    /// The length of a page, and the place before it.
    static func place(_ request: Request) throws -> (limit: Int, after: PageCursor?) {
        let query = request.uri.queryParameters
        let limit = query["limit"].map { Int($0) } ?? 50
        guard let limit, (1...200).contains(limit) else {
            throw ProblemDetails(
                400, "invalidLimit", "The limit is not between 1 and 200. Choose another one.")
        }
        return (limit, query["after"].map { PageCursor(String($0)) })
    }

    /// The header `Link` of a page: the address of the next one.
    static func link(to next: PageCursor?, _ request: Request) -> HTTPFields {
        guard let next else { return [:] }
        var items = request.uri.query.map { $0.split(separator: "&").map(String.init) } ?? []
        items.removeAll { $0.hasPrefix("after=") }
        items.append("after=\(next.text)")
        var headers = HTTPFields()
        // An address in angle brackets: what the client did not encode must not end it.
        let query = items.joined(separator: "&").replacing(">", with: "%3E").replacing("<", with: "%3C")
            .replacing("\"", with: "%22")
        headers[named: "Link"] = "<\(request.uri.path)?\(query)>; rel=\"next\""
        return headers
    }
}
