internal import Foundation
public import HowdahModel
package import PQClient

/// The statement that a fetch sends, its parameters, and the server's plan for it if requested.
public struct FetchPreview: Sendable, CustomStringConvertible {
    /// The statement's text, which depends only on the shape of the request.
    public let sql: String
    /// The values of `$1` and following.
    package let parameters: Parameters
    /// The lines of the server's plan, which contain the values; empty if it was not requested.
    public let plan: [String]

    package init(sql: String, parameters: Parameters, plan: [String] = []) {
        self.sql = sql
        self.parameters = parameters
        self.plan = plan
    }

    /// The values of `$1` and following, in the spelling of SQL; the library never logs them.
    public var parameterTexts: [String] { parameters.texts }

    /// The statement, without values.
    public var description: String { sql }
}

extension ManagedObjectContext {
    /// Returns the statement that a request would send and the server's plan for it; one statement, which
    /// reads no rows.
    ///
    /// If the request's result type is dictionaries, that fetch is explained; otherwise a fetch of objects
    /// without their prefetching. Unsaved changes count as for ``fetch(_:)``.
    ///
    /// - Parameters:
    ///   - cursor: The start of the page to explain, as for ``fetchPage(_:after:)``.
    ///   - isAnalyzing: Indicates whether the server runs the statement and reports the time of each step. If
    ///     the request locks rows, they are locked then.
    /// - Throws: The errors of ``fetch(_:)``.
    public func explain<Object: ManagedObject>(
        _ request: FetchRequest<Object>, after cursor: PageCursor? = nil, analyzing isAnalyzing: Bool = false
    ) throws -> FetchPreview {
        try throwFailures()
        return try root.explainStored(request, after: cursor, analyzing: isAnalyzing)
    }

    private func explainStored<Object: ManagedObject>(
        _ request: FetchRequest<Object>, after cursor: PageCursor?, analyzing isAnalyzing: Bool
    ) throws -> FetchPreview {
        do {
            let (sql, parameters) = try statement(of: request, after: cursor)
            let words = isAnalyzing ? "EXPLAIN (ANALYZE, BUFFERS) " : "EXPLAIN "
            let plan = try withConnection { connection in
                try connection.query(
                    words + sql, parameters, cached: false,
                    about: StatementSubject(.explain, comment: request.comment)
                ).map { $0[0].string() }
            }
            return FetchPreview(sql: sql, parameters: parameters, plan: plan)
        } catch {
            throw store.readError(error, patterns: request.patterns, search: request.search)
        }
    }

    private func statement<Object: ManagedObject>(
        of request: FetchRequest<Object>, after cursor: PageCursor?
    ) throws -> (String, Parameters) {
        if let cursor {
            let layout = try PageFetch(context: self).checkedLayout(for: request)
            let (statement, _) = try StorePage(context: self).statement(
                of: request, layout, after: cursor.text)
            return (statement.sql, statement.parameters)
        }
        let layout = try layout(for: request)
        if let error = request.predicate?.error { throw error }
        if request.resultType == .dictionaries {
            let statement = try ValueStatement(request, layout: layout, layouts: layouts)
            return (statement.sql, statement.parameters)
        }
        let asked = pending(for: request, of: layout)?.stored(request) ?? request
        let statement = try StoreFetch(context: self).statement(of: asked, layout)
        return (statement.sql, statement.parameters)
    }
}

/// A model in the layout of a store, without the store, so that you can see the statements of its fetches.
package struct PreviewStore: Sendable {
    private let layout: StoreLayout

    /// Lays out a model in the PostgreSQL schema of that name.
    ///
    /// - Throws: ``ModelError`` if names of tables and columns clash.
    package init(_ model: ManagedObjectModel, schemaName: String = "public") throws {
        let schema = try StoreSchema(model, schemaName: schemaName)
        layout = try StoreLayout(model: model, schema: schema, storeIdentifier: UUID())
    }

    /// Returns the keys of some key paths that an entity does not have, each key path once.
    ///
    /// - Throws: ``FetchError`` with ``FetchError/Code/unknownEntity``.
    package func unknownKeys(
        in keyPaths: [[String]], of entity: String
    ) throws -> [KeyPathResolver.UnknownKey] {
        try KeyPathResolver(layouts: layout.entities).unknownKeys(
            in: keyPaths, of: layout.required(entity))
    }

    /// Returns the statement of a fetch of the entity's objects.
    ///
    /// - Throws: `PredicateTreeError`, and ``FetchError`` with ``FetchError/Code/unknownEntity``.
    package func fetch(_ entity: String, where predicate: PredicateTree?) throws -> FetchPreview {
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.predicate = predicate
        if let error = predicate?.error { throw error }
        let fetched = try layout.required(entity)
        let resolved = try RenderedFetch(request, layout: fetched, layouts: layout.entities)
        let statement = FetchStatement(
            resolved, selection: layout.selection(of: fetched), limit: 0, offset: 0)
        return FetchPreview(sql: statement.sql, parameters: statement.parameters)
    }
}
