/// What a migration tells while it runs.
package enum MigrationEvent: Sendable {
    /// Another program has the store's migration lock: who, and what it does.
    case waiting(holder: String)
    /// A stage begins; again where its tables could not be locked.
    case stageBegan(StagePosition, MigrationPlan)
    /// A handler of the program runs.
    case handlerBegan(String)
    /// A step begins: its number from 1, and of how many.
    case stepBegan(number: Int, count: Int, MigrationStep)
    /// Everything of the stage is committed.
    case stageEnded(StagePosition)
}

/// Is told of events on the thread that migrates; it must not use the connection.
package typealias MigrationObserver = (MigrationEvent) -> Void
