import HowdahModel
public import HowdahRuntime
import HowdahSampleData

/// The objects in the store of a test case before the test begins.
public struct StoreSample: Sendable {
    /// The number of objects of each entity; nil for objects of a closure.
    var count: Int?
    let insert: @Sendable (ManagedObjectModel, PersistentContainer) async throws -> Void

    /// Returns sample data: `count` objects of each entity, or fewer if the rules of the model permit no more.
    ///
    /// - Parameter seed: The same seed gives the same objects.
    public static func perEntity(_ count: Int, seed: UInt64 = 0) -> StoreSample {
        StoreSample(count: count) { model, container in
            try await SampleData(model: model, seed: seed, countPerEntity: count).insert(into: container)
        }
    }

    /// Returns the objects that a closure creates; they are saved after it.
    public static func objects(
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) -> StoreSample {
        StoreSample { _, container in
            try await container.perform { context in
                try body(context)
                try context.save()
            }
        }
    }
}
