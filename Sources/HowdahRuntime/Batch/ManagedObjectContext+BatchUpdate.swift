import Foundation
public import HowdahModel
import PQClient

extension ManagedObjectContext {
    /// Changes rows in the database with one statement, without loading them.
    ///
    /// The call blocks for one round trip. If the predicate or a value reads rows of other entities, it takes
    /// three: the rows are then locked first, in a transaction. Outside of a transaction of `perform` the
    /// statement is a separate transaction.
    ///
    /// A limit updates the first rows in the order of the request, which are locked in that order by one more
    /// statement. With `rowLock = .update.skippingLocked`, rows that other sessions have locked are left out.
    ///
    /// Versions are not compared but incremented, so contexts with unsaved changes of these objects find a
    /// conflict. Hooks are not called. Objects that this context knows are not notified: request the ids, and
    /// pass the result's `notice` to `mergeChanges(from:)`.
    ///
    /// Values may be computed from the row before the update, and from others; see `BatchUpdateValue`. You
    /// can set to-one relationships, unless the other side is ordered or counted, or is the same
    /// relationship. If counts, sums or copies are derived from the changes, the same transaction computes
    /// them again, in three more round trips. It reads all rows of the entities that have them.
    ///
    /// Source: Core Data's `execute(_:)` with an `NSBatchUpdateRequest`.
    ///
    /// - Throws: `PredicateTreeError` for a predicate that is wrong or does not fit the model. `FetchError`
    ///   with `unknownEntity` or `invalidRequest` for names that do not fit it. `SaveError` with
    ///   `validation`, `uniqueness`, `referentialIntegrity`, `outcomeUnknown` or `database`.
    @discardableResult
    public func execute<Object: ManagedObject>(
        _ request: BatchUpdateRequest<Object>
    ) throws -> BatchUpdateResult<Object> {
        try throwFailure()
        let (found, choice) = try resolve(request.fetchRequest, "update")
        var resolved = found
        let layout = resolved.layout
        var settings = BatchSettings(resolved, in: store.layouts)
        for (name, value) in request.propertiesToUpdate.sorted(by: { $0.key < $1.key }) {
            try settings.add(name, value)
        }
        guard !settings.slots.isEmpty else {
            throw FetchError(
                .invalidRequest, "A batch update of \(layout.name) names no property. Name a property to set."
            )
        }
        try settings.addMoments(at: Date())
        resolved.parameters = settings.parameters
        let isFollowed = followed.hasListeners(besides: nil)
        let bringsIDs = request.resultType.bringsIDs
        let statement = BatchStatement(
            "UPDATE \(layout.table) \(resolved.scope.alias) SET \(try settings.sql())",
            locking: "FOR NO KEY UPDATE",
            resolved, choice: choice, returnsRows: bringsIDs || isFollowed,
            trace: store.history.map { _ in BatchTrace(updating: settings.slots, of: layout, in: self) },
            comment: request.fetchRequest.comment)
        unit?.noteWriting()
        let effects = BatchEffects(updating: settings.slots, of: layout, in: store.layouts)
        let needsRows = bringsIDs || isFollowed
        let (rows, outcome) = try runBatch(statement, effects, "update", needsRows: needsRows) {
            FetchError(refusing: request.patterns, $0)
                ?? BatchFailure(store.layouts, failed: $1).error(
                    $0, updating: layout, computed: settings.computed)
        }
        if outcome.count > 0 { unit?.noteStoring() }
        if isFollowed { tell(updated: [rows] + outcome.followers) }
        return BatchUpdateResult(count: outcome.count, objectIDs: bringsIDs ? rows.ids() : [])
    }
}

extension BatchUpdateRequest {
    /// The patterns of MATCHES comparisons that the server evaluates for the request.
    fileprivate var patterns: [String] {
        let values = propertiesToUpdate.sorted { $0.key < $1.key }.flatMap { _, value in
            if case .computed(let expression) = value.kind { expression.patterns } else { [String]() }
        }
        return fetchRequest.patterns + values
    }
}
