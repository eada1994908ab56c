public import HowdahModel
public import HowdahRuntime
public import Testing

extension Trait where Self == StoreTrait {
    /// Returns a trait that gives each test case a separate open store; see ``StoreTrait``.
    ///
    /// The test reaches the container by ``TestStore/container``. The statement log records from the start
    /// of the test, without the statements for the sample.
    ///
    /// - Parameters:
    ///   - model: The model of the store.
    ///   - sample: The objects in the store before the test begins; nil for none.
    ///   - options: The options of the container.
    ///   - statements: The number of statements on entity tables that the test must send; nil for any. If it
    ///     differs, the test fails and lists them.
    public static func store(
        _ model: @autoclosure @escaping @Sendable () throws -> ManagedObjectModel,
        sample: StoreSample? = nil, options: StoreOptions = StoreOptions(), statements: Int? = nil
    ) -> Self {
        StoreTrait(model: model, sample: sample, options: options, statements: statements)
    }
}
