#if Browser || All
public import HowdahBrowse
public import Hummingbird

extension BrowseSite {
    /// Adds the pages to a router of Hummingbird.
    ///
    /// ```swift
    /// let site = BrowseSite(container, at: "/admin") { _ in .read }
    /// site.addRoutes(to: router.group("admin").add(middleware: AdministratorsOnly()))
    /// ```
    /// The group's path must be the prefix of the site. Let the site's closure or a middleware of the group
    /// refuse requests without a login.
    public func addRoutes<Context>(to router: some RouterMethods<Context>) {
        for path in ["", "**"] as [RouterPath] {
            for method in [.get, .head, .post] as [HTTPRequest.Method] {
                router.on(path, method: method) { request, _ in await self.respond(to: request) }
            }
        }
    }

    /// Returns the response of the pages to a request of Hummingbird, whose body may have one mebibyte.
    public func respond(to request: Request) async -> Response {
        var request = request
        do {
            let body = try await request.collectBody(upTo: 1 << 20)
            return Response(await respond(to: BrowseRequest(request, body: body)))
        } catch {
            return Response(
                BrowseResponse(
                    status: 413, headers: [("Content-Type", "text/plain; charset=utf-8")],
                    body: .bytes(Array("The form exceeds 1 MiB. Send a shorter one.\n".utf8))))
        }
    }
}
#else
public import HowdahBrowse

extension BrowseSite {
    /// Stands for the method of the trait Browser, so that the compiler names the trait if it is missing.
    @available(
        *, unavailable,
        message: "Add the trait Browser, or All, to the dependency on howdah in your Package.swift."
    )
    public func addRoutes<Router>(to router: Router) {}
}
#endif
