public import HowdahModel
public import HowdahRuntime

extension SampleData {
    /// What ``insert(into:batchSize:)`` wrote.
    public struct Insertion: Sendable {
        /// The ids of the objects, in the order of ``SampleData/objects``.
        public let objectIDs: [ObjectID<ManagedObject>]
        /// How many saves it took.
        public let saves: Int
    }

    /// Inserts the graph into a store of the same model.
    ///
    /// Saves about `batchSize` objects at a time, each in a context and a transaction of its own, so that memory
    /// stays bounded by the batch and the plan. Objects that need each other, as in a cycle of required to-ones, are
    /// saved together however many they are. What the store has already stays; where it has the same unique values,
    /// the save with them fails, and those before it stay.
    ///
    /// - Throws: `SaveError`; `FetchError` where the database could not be asked; `CancellationError`.
    @discardableResult
    nonisolated(nonsending)
        public func insert(into container: PersistentContainer, batchSize: Int = 500) async throws
        -> Insertion
    {
        precondition(batchSize > 0, "batchSize is \(batchSize). Set it to 1 or more.")
        precondition(
            container.model.versionChecksum == model.versionChecksum,
            "The model of the store differs from that of the sample data. Create the sample data for the container's "
                + "model."
        )
        let order = SaveOrder(self, size: batchSize)
        let links = LinkOrder(self, order)
        var ids: [ObjectID<ManagedObject>?] = Array(repeating: nil, count: objects.count)
        for (batch, steps) in zip(order.batches, links.steps) {
            let known = ids
            let saved = try await container.perform { context in
                try GraphBatch(data: self, context: context, ids: known).save(batch, steps)
            }
            for (index, id) in zip(batch, saved) { ids[index] = id }
        }
        return Insertion(objectIDs: ids.compactMap { $0 }, saves: order.batches.count)
    }
}
