package import HowdahModel
package import PQClient

/// What a program does in a stage's transaction, before and after its steps.
package struct StageHandlers: Sendable {
    /// Works on the session that has the transaction, with a store of the given model.
    ///
    /// A `PostgresError` that it throws of a lock or a deadlock has the whole transaction tried again.
    package typealias Handler = @Sendable (Connection, ManagedObjectModel) throws -> Void

    /// Calls `running` for each pass of a mapping, with the number of the pass and its work. The work returns the number of
    /// rows or objects.
    package typealias Mapping =
        @Sendable (Connection, _ running: (Int, () throws -> Int) throws -> Void) throws -> Void

    /// With the locks held, the tables still those of the source's model.
    package var willMigrate: Handler?
    /// With the tables those of the destination's model.
    package var didMigrate: Handler?

    /// All steps of the plan that are passes of a mapping, where the first of them stands.
    package var mapping: Mapping?

    /// Whether there is any.
    var areThere: Bool { willMigrate != nil || didMigrate != nil || mapping != nil }

    package init(
        willMigrate: Handler? = nil, didMigrate: Handler? = nil, mapping: Mapping? = nil
    ) {
        self.willMigrate = willMigrate
        self.didMigrate = didMigrate
        self.mapping = mapping
    }
}
