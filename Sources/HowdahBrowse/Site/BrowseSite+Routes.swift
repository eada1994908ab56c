extension BrowseSite {
    /// Returns the answer to a request that may read.
    ///
    /// - Throws: `BrowseError` for an unknown address, and the errors of fetches.
    func route(_ request: BrowseRequest) async throws -> Page.Answer {
        guard let path = segments(of: request) else { throw BrowseError.noPage }
        guard !request.isTooLong else {
            throw BrowseError(
                414,
                "The address has more than 40,000 bytes, which servers may refuse. Shorten the filter or the order, or "
                    + "choose fewer columns.")
        }
        guard request.isQueryText else {
            throw BrowseError(400, "The address has bytes that are not UTF-8. Remove them.")
        }
        if request.method == "POST", path == ["sql"] {
            try checkOrigin(of: request)
            return try await SQLPage(source: source).answer(request)
        }
        guard ["GET", "HEAD"].contains(request.method) else {
            throw BrowseError(405, "The pages only read. Use GET.")
        }
        if !["browse.css", "browse.js", "favicon.svg", "favicon.ico"].contains(path.first) {
            try PageParameters(of: path.first).check(request.query)
        }
        if path.contains(where: { $0.unicodeScalars.contains("\u{0}") }) { throw BrowseError.noPage }
        switch (path.first, path.count) {
        case (nil, _): return .page(try await EntitiesPage(source: source, request).page())
        case ("objects", 2):
            let view = try ObjectsView(request, entity: path[1])
            return .page(try await ObjectsPage(source: source, view: view).page())
        case ("values", 3):
            let view = try ObjectsView(request, entity: path[1])
            return .page(try await ValuesPage(source: source, view: view, name: path[2]).page())
        case ("structure", 2): return .page(try StructurePage(source: source, name: path[1]).page())
        case ("diagram", 1), ("diagram.svg", 1):
            let name = request.parameter("entity")
            if let name { _ = try source.guide.entity(name) }
            let page = DiagramPage(source: source, entity: name)
            return path[0] == "diagram" ? .page(page.page) : .other(page.picture)
        case ("object", 3):
            let page = ObjectPage(source: source, entity: path[1], key: try key(path[2]))
            return .page(try await page.page())
        case ("delete", 3):
            let page = DeletePage(source: source, entity: path[1], key: try key(path[2]))
            return .page(try await page.page())
        case ("json", 3):
            let json = ObjectJSON(source: source, entity: path[1], key: try key(path[2]))
            return .other(try await json.response())
        case ("export", 2): return .other(try await export(path[1], request).response())
        case ("value", 4):
            let value = ValueResponse(
                source: source, entity: path[1], key: try key(path[2]), attribute: path[3])
            return .other(try await value.response(to: request))
        case ("migrations", 1):
            let again = request.parameter("plan") == "new"
            return .page(try await MigrationsPage(source: source, plansAgain: again).page())
        case ("doctor", 1): return .page(try await DoctorPage(source: source).page())
        case ("activity", 1): return .page(try await ActivityPage(source: source).page())
        case ("report", 1): return .page(ReportPage(source: source).page)
        case ("sql", 1): return try await SQLPage(source: source).answer(request)
        case ("names", 2): return .other(try CompletionNames(of: path[1], source.guide).response())
        case ("check", 2):
            let filter = request.parameter("where") ?? ""
            return .other(try FilterCheck(filter, of: path[1], source).response())
        case ("versions", 2):
            let rows = try RowVersions(
                request.parameter("rows") ?? "", since: request.parameter("since"), of: path[1], source)
            return .other(try await rows.response())
        case ("browse.js", 1): return .other(Script.response)
        case ("browse.css", 1): return .other(Stylesheet.response)
        case ("favicon.svg", 1), ("favicon.ico", 1): return .other(Icon.response)
        default: throw BrowseError.noPage
        }
    }

    /// - Throws: `BrowseError` if a page of another site sent the form.
    private func checkOrigin(of request: BrowseRequest) throws {
        let origin = request.header("origin").flatMap { $0.split(separator: "://").last.map(String.init) }
        guard let host = request.header("host"), origin == host, request.isFromOwnPage else {
            throw BrowseError(403, "Another site sent the request. Use the page's own form.")
        }
    }

    private func export(_ name: String, _ request: BrowseRequest) throws -> ExportResponse {
        guard let dot = name.lastIndex(of: "."),
            let format = ExportResponse.Format(rawValue: String(name[name.index(after: dot)...]))
        else { throw BrowseError.noPage }
        let view = try ObjectsView(request, entity: String(name[..<dot]))
        return ExportResponse(source: source, view: view, format: format)
    }

    private func key(_ text: String) throws -> Int64 {
        guard let key = Int64(text) else { throw BrowseError.noPage }
        return key
    }
}
