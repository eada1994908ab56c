import HowdahModel
public import HowdahRuntime
import HowdahSchema
import PQClient
import Synchronization

/// The pages of `howdah browse`: a store, its objects and its state, for a web browser.
///
/// ```swift
/// let site = BrowseSite(container, at: "/admin") { request in
///     await isAdministrator(request) ? .read : .none
/// }
/// let response = await site.respond(to: BrowseRequest(target: "/admin/"))
/// ```
/// A site has no server: pass it the requests of yours. Every page is one read-only transaction, whose
/// statements end after two seconds. A page never counts a table or lists all objects of an entity.
public final class BrowseSite: Sendable {
    let source: PageSource
    private let gate: BrowseGate?
    private let allows: @Sendable (BrowseRequest) async -> BrowseAccess
    private let place: String

    /// Creates a site in a program that has its own login.
    ///
    /// - Parameters:
    ///   - container: The open store.
    ///   - prefix: The path at which you mount the site; requests to the site have it.
    ///   - allows: Returns the access of a request. Compare its cookies or header fields with your sessions.
    public init(
        _ container: PersistentContainer, at prefix: String = "",
        allows: @escaping @Sendable (BrowseRequest) async -> BrowseAccess
    ) {
        source = PageSource(container, at: prefix)
        (gate, self.allows) = (nil, allows)
        place = container.placeWithoutPassword
    }

    /// Creates a site for one reader on this machine, whose login is the gate.
    public convenience init(_ container: PersistentContainer, gate: BrowseGate) {
        self.init(container, gate: gate, place: nil, planning: nil, notes: [], hasRecord: true)
    }

    private init(
        _ container: PersistentContainer, gate: BrowseGate, place: String?, planning: BrowsePlanning?,
        notes: [String], hasRecord: Bool
    ) {
        source = PageSource(container, at: "", planning: planning, notes: notes, hasRecord: hasRecord)
        (self.gate, allows) = (gate, { _ in .read })
        self.place = place ?? container.placeWithoutPassword
    }

    /// Opens a store only for reading, with the model of its record or of its tables, and creates a site of it.
    ///
    /// Nothing is created or changed. Close the site's container when the server has ended.
    ///
    /// - Parameter target: The model to which the page of migrations has a plan; nil for none.
    /// - Throws: The errors of `PersistentContainer.openForBrowsing(_:options:)`.
    package static func opening(
        _ url: String, options: StoreOptions = StoreOptions(), gate: BrowseGate, target: BrowseTarget? = nil
    ) async throws -> BrowseSite {
        // The notes of the model that is made if there is no store.
        let notes = Mutex<[String]?>(nil)
        let container = try await PersistentContainer.openForBrowsing(url, options: options) {
            connection, schemaName in
            let schema = try DatabaseSchema(named: schemaName, on: connection)
            if schema.tables.isEmpty { return nil }
            let tables = try ShownTables(schema, named: schemaName)
            notes.withLock { $0 = tables.notes }
            return tables.model
        }
        let place = try? ConnectionConfiguration(url).place
        return BrowseSite(
            container, gate: gate, place: place.map { "schema \(options.schemaName) of \($0)" },
            planning: target.map { BrowsePlanning(target: $0, url: url, options: options) },
            notes: notes.withLock { $0 ?? [] }, hasRecord: notes.withLock { $0 == nil })
    }

    /// Closes the connections of a site that ``opening(_:options:gate:target:)`` created.
    package func close() async { await source.container.close(drainingFor: .seconds(1)) }

    /// Returns the response to a request; errors are pages too.
    public func respond(to request: BrowseRequest) async -> BrowseResponse {
        var response = await answer(request)
        response.protect()
        if request.method == "HEAD" { response.body = .bytes([]) }
        return response
    }

    private func answer(_ request: BrowseRequest) async -> BrowseResponse {
        if let refusal = gate?.refusal(of: request) { return refusal }
        guard await allows(request) == .read else {
            return BrowseResponse(
                "Reading is not allowed. Log in.\n", type: "text/plain; charset=utf-8", status: 403)
        }
        do {
            switch try await route(request) {
            case .page(let page): return response(page)
            case .other(let response): return response
            }
        } catch {
            var (status, message) = ErrorWords.of(error)
            if status == 404, let warning = await source.recordWarning() { message += " " + warning }
            return response(
                Page(
                    status: status, title: ErrorWords.title(status), entity: entity(of: request),
                    main: "<p class=\"error\" role=\"alert\">\(message)</p>\(activity(error))"))
        }
    }

    /// The entity of a page that cannot be shown, for the links above it; nil if the model has none of that name.
    private func entity(of request: BrowseRequest) -> String? {
        guard let name = segments(of: request)?.dropFirst().first else { return nil }
        return source.guide.model.entitiesByName[name]?.name
    }

    /// A link to the locked tables, if the page needs one.
    private func activity(_ error: any Error) -> HTML {
        guard ErrorWords.isLocked(error) else { return "" }
        return "<p><a href=\"\(source.links.locks)\">The locked tables, and who holds the locks</a></p>"
    }

    private func response(_ page: Page) -> BrowseResponse {
        let frame = PageFrame(
            links: source.links, guide: source.guide, place: place,
            hasReport: ReportPage.isAvailable(in: source.container))
        var response = BrowseResponse(
            frame.document(page).text, type: "text/html; charset=utf-8", status: page.status)
        if page.status == 405 { response.headers.append(("Allow", "GET, HEAD")) }
        return response
    }

    /// The parts of the path below the prefix; nil if the path is not below it.
    func segments(of request: BrowseRequest) -> [String]? {
        let all = request.segments
        let mount = source.links.prefix.split(separator: "/").map(String.init)
        return all.starts(with: mount) ? all.dropFirst(mount.count).map(PathSegment.name) : nil
    }
}

extension PersistentContainer {
    /// The schema of the store.
    fileprivate var placeWithoutPassword: String { "schema \(store.layouts.schema.schemaName)" }
}

/// The extent to which a request may use a ``BrowseSite``.
///
/// Later versions add writing: give a `switch` over access a `default`.
public enum BrowseAccess: Sendable, Hashable {
    /// The request is refused.
    case none
    /// The request may read everything that the store's connection may.
    case read
}
