public import HowdahModel
import PQClient

extension ManagedObjectContext {
    /// Deletes rows in the database with one statement, without loading them.
    ///
    /// The call blocks for one round trip. If the predicate or a value reads rows of other entities, it takes
    /// three: the rows are then locked first, in a transaction. Outside of a transaction of `perform` the
    /// statement is a separate transaction.
    ///
    /// A limit deletes the first rows in the order of the request, which are locked in that order by one more
    /// statement. With `rowLock = .update.skippingLocked`, rows that other sessions have locked are left out.
    ///
    /// Versions are not compared, hooks are not called, and minimum counts are not checked. Delete rules are
    /// those of the foreign keys and triggers. If they clear to-one relationships with an inverse, the call does so
    /// before the deletion, and increments the versions of these rows. That takes two round trips, and another one for
    /// each level of cascades: all rows to delete are locked first. Objects that this context knows are not notified:
    /// request the ids, and pass the result's `notice` to `mergeChanges(from:)`.
    ///
    /// If counts, sums or copies are derived from the deleted rows, the same transaction computes them again,
    /// in three more round trips. It updates only the affected rows if at most 50,000 rows are deleted and
    /// the rows with derived values are near enough. They must be one relationship away from the deleted
    /// rows, or from rows that one foreign key deletes with them. Otherwise it compares all rows of the
    /// entities that have derived attributes.
    ///
    /// Source: Core Data's `execute(_:)` with an `NSBatchDeleteRequest`.
    ///
    /// - Throws: `PredicateTreeError` for a predicate that is wrong or does not fit the model. `FetchError`
    ///   with `unknownEntity`, `invalidRequest`, or `foreignID` for ids of another store or of several
    ///   hierarchies. `SaveError` with `referentialIntegrity` or `validation` if a delete rule refuses it,
    ///   `outcomeUnknown`, `schemaMismatch` or `database`.
    @discardableResult
    public func execute<Object: ManagedObject>(
        _ request: BatchDeleteRequest<Object>
    ) throws -> BatchDeleteResult<Object> {
        try throwFailure()
        guard let (resolved, choice) = try resolve(request) else {
            return BatchDeleteResult(count: 0, objectIDs: [])
        }
        let isFollowed = followed.hasListeners(besides: nil)
        let bringsIDs = request.resultType.bringsIDs
        let statement = BatchStatement(
            "DELETE FROM \(resolved.layout.table) \(resolved.scope.alias)", locking: "FOR UPDATE", resolved,
            choice: choice, returnsRows: bringsIDs || isFollowed,
            trace: store.history.map { _ in BatchTrace(deleting: resolved.layout, in: self) },
            comment: request.fetchRequest.comment)
        unit?.noteWriting()
        let effects = BatchEffects(deleting: resolved.layout, in: store.layouts)
        let needsRows = bringsIDs || isFollowed
        let (rows, outcome) = try runBatch(statement, effects, "deletion", needsRows: needsRows) {
            FetchError(refusing: request.fetchRequest.patterns, $0)
                ?? BatchFailure(store.layouts, failed: $1).error($0, isDeletion: true) { _ in nil }
        }
        if outcome.count > 0 { unit?.noteStoring() }
        if isFollowed { tell(updated: outcome.followers + outcome.cleared, deleted: [rows]) }
        return BatchDeleteResult(count: outcome.count, objectIDs: bringsIDs ? rows.ids() : [])
    }

    /// Resolves a request; nil if there is nothing to delete.
    private func resolve<Object: ManagedObject>(
        _ request: BatchDeleteRequest<Object>
    ) throws -> (RenderedFetch, BatchChoice?)? {
        var fetch = request.fetchRequest
        if let ids = request.objectIDs {
            guard let first = ids.first else { return nil }
            let root = layouts[try layout(for: first).root]
            for id in ids where try layouts[layout(for: id).root] !== root {
                throw FetchError(
                    .foreignID,
                    "The ids are of \(root.name) and \(id.entityName), which have no common table. Make a request "
                        + "for each of these entities."
                )
            }
            fetch.entityName = root.name
            if let error = fetch.predicate?.error { throw error }
            let choice = try BatchChoice(fetch, "deletion", layout: root, layouts: layouts)
            return (try RenderedFetch(fetch, layout: root, layouts: layouts, ordered: false), choice)
        }
        return try resolve(fetch, "deletion")
    }

    /// Resolves the entity, the predicate and the choice of a batch request.
    func resolve<Object: ManagedObject>(
        _ request: FetchRequest<Object>, _ name: String
    ) throws -> (RenderedFetch, BatchChoice?) {
        let layout = try layout(for: request)
        if let error = request.predicate?.error { throw error }
        let choice = try BatchChoice(request, name, layout: layout, layouts: layouts)
        if layout.table.version == nil { throw FetchError(.invalidRequest, layout.table.readOnlyReason) }
        return (try RenderedFetch(request, layout: layout, layouts: layouts, ordered: false), choice)
    }
}

extension BatchOutcome.Rows {
    /// Creates the rows that a statement with ``RenderedFetch/returning`` returned.
    init(_ result: QueryResult, of layout: EntityLayout, hasIDs: Bool) {
        self.init(layout: layout, keys: [], names: layout.discriminator == nil ? nil : [])
        guard hasIDs else { return }
        result.forEachRow { row in
            keys.append(row[0].int64)
            names?.append(row[1].string())
        }
    }
}

extension RenderedFetch {
    /// A RETURNING clause with the keys of rows, and their entities if these differ.
    var returning: String {
        let returned = [layout.table.key.name, layout.discriminator].compactMap { $0 }
            .map { "\(scope.alias).\($0)" }.joined(separator: ", ")
        return " RETURNING \(returned)"
    }
}
