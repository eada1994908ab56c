/// A registered reader of the history of a store, which keeps its place in the store.
///
/// `PersistentContainer.historyConsumer(_:after:)` creates it. Several processes may use one name: the first
/// one that acknowledges a batch has done it, and the others get ``HistoryError/Code/consumerMoved``.
public struct HistoryConsumer: Sendable {
    /// The name under which the consumer is registered.
    public let name: String
    let container: PersistentContainer

    /// Returns the changes after the last acknowledged batch, as an asynchronous sequence that ends when the
    /// container is closed.
    ///
    /// The sequence reads as you ask for batches, as that of ``PersistentContainer/changes(after:of:where:)``
    /// does. If a filter leaves nothing to deliver, the consumer's place moves on by itself.
    ///
    /// - Parameters:
    ///   - types: The classes of the entities whose changes are delivered, subclasses included; nil for all.
    ///   - filter: More conditions on the changes.
    public func changes(
        of types: [ManagedObject.Type]? = nil, where filter: HistoryFilter? = nil
    ) -> HistoryChanges {
        HistoryChanges(
            container: container, start: .consumer(name), filter: HistoryFilter.joining(filter, types))
    }

    /// Acknowledges a batch and all before it, so that the store need not keep them for this consumer; one
    /// round trip.
    ///
    /// If the process ends after the effects of a batch and before this, the batch is delivered again. For
    /// effects in the same database, use ``ManagedObjectContext/acknowledge(_:)`` in their transaction, which
    /// does both or nothing.
    ///
    /// - Throws: ``HistoryError`` with `consumerMoved` if another process acknowledged changes of the
    ///   consumer, or it was removed; `invalidRequest` if the batch is of no consumer; or `database`.
    nonisolated(nonsending) public func acknowledge(_ batch: HistoryBatch) async throws {
        try await container.perform { try $0.acknowledge(batch) }
    }
}
