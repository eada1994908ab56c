public import HowdahRuntime

/// The store of the running test case.
public enum TestStore {
    @TaskLocal static var current: PersistentContainer?

    /// The container that the trait ``StoreTrait`` opened for the running test case.
    ///
    /// Detached tasks do not have it: take it before you start one.
    ///
    /// - Throws: ``MissingTestStore`` if neither the test nor its suite has the trait.
    public static var container: PersistentContainer {
        get throws(MissingTestStore) {
            guard let current else { throw MissingTestStore() }
            return current
        }
    }
}

/// The error of a test that asks for a store and has none.
public struct MissingTestStore: Error, CustomStringConvertible {
    package init() {}

    /// The cause and the remedy.
    public var description: String {
        "The test has no store. Add the trait .store(model) to the test or its suite, and take the container "
            + "outside of detached tasks."
    }
}
