import Howdah
import Hummingbird

extension Router<AppContext> {
    /// Answers the methods that an address does not have: 405 with those that it has, or 204 for OPTIONS.
    func addOtherMethods() {
        let all = [
            "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY", "PROPFIND",
            "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK", "SEARCH", "REPORT",
        ].compactMap { HTTPRequest.Method($0) }
        for routes in Dictionary(grouping: routes, by: \.path.description).values {
            var known = Set(routes.map(\.method))
            if known.contains(.get) { known.insert(.head) }
            let allowed = (known.map(\.rawValue) + ["OPTIONS"]).sorted().joined(separator: ", ")
            for method in all where !known.contains(method) {
                on(routes[0].path, method: method) { request, context in
                    guard method != .options else {
                        return Response(status: .noContent, headers: [.allow: allowed])
                    }
                    let problem = ProblemDetails(
                        405, "methodNotAllowed", "The address does not have the method. Use \(allowed).")
                    var response = try problem.response(from: request, context: context)
                    response.headers[.allow] = allowed
                    return response
                }
            }
        }
    }
}
