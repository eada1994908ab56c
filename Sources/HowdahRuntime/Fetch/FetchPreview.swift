internal import Foundation
package import HowdahModel
package import PQClient

/// The statement that a fetch sends, and its parameters.
package struct FetchPreview: Sendable {
    /// The statement's text, which depends on the shape of the request alone.
    package let sql: String
    /// The values of `$1` and following.
    package let parameters: Parameters
}

/// A model as a store lays it out, without the store: what its fetches would send.
package struct PreviewStore: Sendable {
    private let layout: StoreLayout

    /// Lays out a model in the PostgreSQL schema of that name.
    ///
    /// - Throws: ``ModelError`` where names of tables and columns clash.
    package init(_ model: ManagedObjectModel, schemaName: String = "public") throws {
        let schema = try StoreSchema(model, schemaName: schemaName)
        layout = try StoreLayout(model: model, schema: schema, storeIdentifier: UUID())
    }

    /// What a fetch of the entity's objects sends.
    ///
    /// - Throws: `PredicateTreeError`, and ``FetchError`` with ``FetchError/Code/unknownEntity``.
    package func fetch(_ entity: String, where predicate: PredicateTree?) throws -> FetchPreview {
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.predicate = predicate
        if let error = predicate?.error { throw error }
        let fetched = try layout.required(entity)
        let resolved = try ResolvedFetch(request, layout: fetched, layouts: layout.entities)
        let statement = FetchStatement(
            resolved, selection: layout.selection(of: fetched), limit: 0, offset: 0)
        return FetchPreview(sql: statement.sql, parameters: statement.parameters)
    }
}
