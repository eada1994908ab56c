extension BrowseSite {
    /// Returns the answer to a request that may read.
    ///
    /// - Throws: `BrowseError` for an unknown address, and the errors of fetches.
    func route(_ request: BrowseRequest) async throws -> Answer {
        guard let path = segments(of: request) else { throw BrowseError.noPage }
        guard ["GET", "HEAD"].contains(request.method) else {
            throw BrowseError(405, "The pages only read. Use GET.")
        }
        switch (path.first, path.count) {
        case (nil, _): return .page(try await EntitiesPage(site: self).page())
        case ("objects", 2):
            let view = try ObjectsView(request, entity: path[1])
            return .page(try await ObjectsPage(site: self, view: view).page())
        case ("browse.css", 1): return .other(Stylesheet.response)
        case ("favicon.svg", 1), ("favicon.ico", 1): return .other(Icon.response)
        default: throw BrowseError.noPage
        }
    }
}
