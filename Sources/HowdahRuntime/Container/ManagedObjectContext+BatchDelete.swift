public import HowdahModel
import PQClient

extension ManagedObjectContext {
    /// Deletes rows in the database by one statement, and loads none of them.
    ///
    /// Blocks for one round trip. Outside of a transaction of `perform` the statement is a transaction of its own.
    /// Versions are not compared, hooks are not called, minimum counts are not looked at, and delete rules are those of
    /// the foreign keys. Objects that this context or another knows are not told: ask for the ids, and give them to
    /// ``mergeChanges(updated:deleted:)``.
    ///
    /// Where counts, sums or copies are derived from the deleted rows, the same transaction computes them anew, in
    /// two more round trips and with a look at all rows of the entities that have them.
    ///
    /// Source: Core Data's `execute(_:)` with an `NSBatchDeleteRequest`.
    ///
    /// - Throws: `PredicateTreeError` for a predicate that is wrong or does not fit the model; `FetchError` with
    ///   `unknownEntity`, `invalidRequest`, or `database` where a foreign key refuses the deletion.
    @discardableResult
    public func execute<Object: ManagedObject>(
        _ request: BatchDeleteRequest<Object>
    ) throws -> BatchDeleteResult<Object> {
        try throwFailure()
        let layout = try layout(for: request.fetchRequest)
        guard request.fetchRequest.fetchLimit == 0, request.fetchRequest.fetchOffset == 0 else {
            throw FetchError(
                .invalidRequest,
                "A batch deletion has no limit and no offset; fetch the ids first and delete those.")
        }
        if let error = request.fetchRequest.predicate?.error { throw error }
        if layout.table.version == nil { throw FetchError(.invalidRequest, layout.table.readOnlyReason) }
        let resolved = try ResolvedFetch(
            request.fetchRequest, layout: layout, layouts: layouts, ordered: false)
        let statement = resolved.deletion(bringsIDs: request.resultType.bringsIDs)
        unit?.noteWriting()
        do {
            let derived = store.layouts.derivedGroups(deleting: layout)
            let result = try withConnection { connection in
                if derived.isEmpty { return try connection.query(statement, resolved.parameters) }
                return try run(SaveStatement(statement, resolved.parameters), derived, connection)
            }
            return BatchDeleteResult(
                count: result.affectedRows,
                objectIDs: try request.resultType.bringsIDs ? ids(in: result, of: layout) : [])
        } catch let error as PostgresError {
            if let message = SchemaDrift(layouts: store.layouts).message(for: error) {
                throw FetchError(.schemaMismatch, message, underlying: error)
            }
            throw FetchError(.database, "The database refused the deletion", underlying: error)
        }
    }

    /// Runs the deletion and computes derived attributes anew, in one transaction or savepoint.
    private func run(
        _ deletion: SaveStatement, _ groups: [DerivedGroup], _ connection: Connection
    ) throws -> QueryResult {
        let transaction = SaveTransaction(connection, isNested: unit?.isTransaction ?? false)
        do {
            let result = try transaction.run([deletion])[0]
            let wrong = try transaction.run(groups.map(DerivedStatements.wrongRows))
            let statements = zip(groups, wrong).flatMap { group, result in
                let keys = Set(result.map { $0[0].int64 })
                guard !keys.isEmpty else { return [SaveStatement]() }
                let others = Array(repeating: Set<Int64>(), count: group.hops.count)
                return DerivedStatements(group, [keys] + others).all { [] }
            }
            try transaction.end(with: statements)
            return result
        } catch {
            transaction.abandon()
            throw error
        }
    }

    private func ids<Object>(in result: QueryResult, of layout: EntityLayout) throws -> [ObjectID<Object>] {
        result.map { row in
            ObjectID(
                storeIdentifier: store.identifier,
                entityName: layout.discriminator == nil ? layout.storedName : row[1].string(),
                key: row[0].int64)
        }
    }
}

extension ResolvedFetch {
    /// The statement that deletes what the fetch would find.
    fileprivate func deletion(bringsIDs: Bool) -> String {
        let returned = [layout.table.key.name, layout.discriminator].compactMap { $0 }
            .map { "\(scope.alias).\($0)" }.joined(separator: ", ")
        let returning = bringsIDs ? " RETURNING \(returned)" : ""
        if scope.joins.isEmpty { return "DELETE\(scope.from)\(condition)\(returning)" }
        // DELETE has no outer joins of its own.
        let key = layout.table.key(scope.alias)
        return "DELETE FROM \(layout.table) \(scope.alias) WHERE \(key) IN "
            + "(SELECT \(key)\(scope.from)\(condition))\(returning)"
    }
}
