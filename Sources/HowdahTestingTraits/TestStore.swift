public import HowdahRuntime
import Testing

/// The store of the running test case.
public enum TestStore {
    @TaskLocal static var current: PersistentContainer?

    /// The container that the trait ``StoreTrait`` opened for the running test case.
    ///
    /// Detached tasks do not have it: take it before you start one.
    ///
    /// - Throws: ``MissingTestStore`` if neither the test nor its suite has the trait, or another trait asks that
    ///   is applied before it.
    public static var container: PersistentContainer {
        get throws(MissingTestStore) {
            guard let current else {
                let test = Test.current
                let hasTrait = test?.traits.contains { $0 is StoreTrait } ?? false
                throw MissingTestStore(testName: test?.name, hasTrait: hasTrait)
            }
            return current
        }
    }
}

/// The error of a test that asks for a store and has none.
public struct MissingTestStore: Error, CustomStringConvertible {
    /// The name of the running test; nil outside of tests, and in detached tasks.
    public let testName: String?

    /// A Boolean value that indicates whether the test has the trait, which is not applied yet.
    private let hasTrait: Bool

    package init(testName: String?, hasTrait: Bool = false) {
        self.testName = testName
        self.hasTrait = hasTrait
    }

    /// The cause and the remedy.
    public var description: String {
        guard let testName else {
            return
                "No test runs in this task, so it has no store. Take TestStore.container in a test with the "
                + "trait .store(model) of HowdahTestingTraits, before you start a detached task."
        }
        if hasTrait {
            return "The test \(testName) has no store yet, because its trait .store(model) is applied after "
                + "the code that asks for the store. Put .store(model) before the traits that use the store. The "
                + "traits of a suite are applied before those of its tests."
        }
        return "The test \(testName) has no store, because the trait .store(model) of HowdahTestingTraits is "
            + "missing. Add it to the test, as in @Test(.store(model)), or to its suite, as in "
            + "@Suite(.store(model))."
    }
}
