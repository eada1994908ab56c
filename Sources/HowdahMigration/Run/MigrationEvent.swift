package import HowdahSchema

/// What a migration tells while it runs.
package enum MigrationEvent: Sendable {
    /// Another program has the store's migration lock: who, what it does, and how long it is still waited for. Once for each
    /// holder.
    case waiting(holder: String, left: Duration)
    /// The tables could not be locked and everything is tried again: which table it was and who has it, in words, and for
    /// how long. Once for each table and holder.
    case lockMissed(reason: String, left: Duration)
    /// A statement waits for other sessions, in words; for an index that is built beside others.
    case blocked(by: String)
    /// A stage begins; again where its tables could not be locked.
    case stageBegan(StagePosition, MigrationPlan)
    /// What a deferred migration has left is done next: how many steps.
    case pendingBegan(count: Int)
    /// A handler of the program runs.
    case handlerBegan(String)
    /// A step begins: its number from 1, and of how many.
    case stepBegan(number: Int, count: Int, MigrationStep)
    /// Everything of the stage is committed.
    case stageEnded(StagePosition)
}

/// Is told of events on the thread that migrates; it must not use the connection.
package typealias MigrationObserver = (MigrationEvent) -> Void
