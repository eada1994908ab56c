/// Something that happened in a container.
///
/// Its texts and names have no values of the database. The server's fields of its errors can have some: log
/// `error.description`, and not the event.
///
/// Later versions add cases: give a `switch` over events a `default`.
public enum StoreEvent: Sendable {
    /// A round trip with one or more statements ended.
    indirect case statement(StatementReport)
    /// A call of `perform` ended.
    case unitOfWork(UnitOfWorkReport)
    /// A save that stores in the database ended.
    case save(SaveReport)
    /// A save found rows that another session had changed, or values that are taken.
    case conflict(ConflictReport)
    /// A save or a unit of work is about to run again.
    case retry(RetryReport)
    /// The pool opened a connection, which took this time.
    case connectionOpened(Duration)
    /// A unit of work got a connection of the pool, or failed to get one.
    case poolWait(PoolWaitReport)
    /// A unit of work returned its connection after this time.
    case connectionUse(Duration)
    /// One statement loaded what a loop over objects would have loaded one by one.
    case cohortStep(CohortStepReport)
    /// A store was migrated when it was opened, or steps of a deferred migration ran.
    case migration(MigrationReport)
    /// The container read the state of its history, once per minute.
    indirect case history(HistoryReport)
    /// The container could not look for changes of other programs. It tries again.
    case changesNotFollowed(any Error)
}
