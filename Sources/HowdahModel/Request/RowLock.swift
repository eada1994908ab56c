/// A lock on the rows of a fetch until its transaction ends, so that no other transaction changes or locks
/// them.
///
/// Use it for work queues: `request.rowLock = .update.skippingLocked` gives each of many workers other rows.
///
/// Source: PostgreSQL's locking clause,
/// <https://www.postgresql.org/docs/current/sql-select.html#SQL-FOR-UPDATE-SHARE>.
public struct RowLock: Hashable, Sendable {
    /// The actions of other transactions that the lock prevents.
    package enum Strength: Hashable, Sendable { case update, noKeyUpdate, share }
    /// The behaviour for rows that other transactions have locked.
    package enum Waiting: Hashable, Sendable { case waits, skips, fails }

    package let strength: Strength
    package var waiting = Waiting.waits

    /// Prevents other transactions from changing, deleting or locking the rows, and from adding references to
    /// them.
    public static let update = RowLock(strength: .update)
    /// As ``update``, but other transactions may insert rows that refer to these. Saves use it for rows that
    /// stay.
    public static let noKeyUpdate = RowLock(strength: .noKeyUpdate)
    /// Prevents other transactions from changing or deleting the rows; they can lock the rows in this way
    /// too.
    public static let share = RowLock(strength: .share)

    /// The same lock, which leaves rows that other transactions have locked out of the result.
    public var skippingLocked: RowLock { waiting(.skips) }
    /// The same lock, which fails the fetch with `FetchError.locked` if another transaction has locked a row.
    public var failingIfLocked: RowLock { waiting(.fails) }

    private func waiting(_ waiting: Waiting) -> RowLock {
        var lock = self
        lock.waiting = waiting
        return lock
    }
}
