public import Foundation
public import HowdahModel

/// The changes of one committed save, transaction, batch request or statement, in the history of a store.
///
/// A `perform(isolation:)` is one history transaction, whatever the number of its saves. The statements of
/// another program are one each.
///
/// Source: Core Data's `NSPersistentHistoryTransaction`.
public struct HistoryTransaction: Sendable, Hashable {
    /// The number of the transaction. Of two transactions that changed one object, the later one has the
    /// greater number. Numbers have gaps.
    public let transactionNumber: Int64
    /// The time at which the changes were stored, by the server's clock.
    public let timestamp: Date
    /// The token after the transaction, for the moment.
    ///
    /// That of the last transaction is the token of the whole result or batch, unless you filter or limit the
    /// request. The other ones expire as soon as changes that were read together with them are removed, so keep
    /// the token of the result or batch.
    public let token: HistoryToken
    /// The author that the program had set; see ``ManagedObjectContext/transactionAuthor``.
    public let author: String?
    /// The name of the context; see ``ManagedObjectContext/name``.
    public let contextName: String?
    /// The process that made the changes: its name, number and host, and a text for its container.
    public let processID: String?
    /// The kind of program that made the changes.
    public let origin: HistoryOrigin
    /// The changes of objects; empty if you did not request them.
    public internal(set) var changes: [HistoryChange]
    /// A Boolean value that indicates whether any object may have changed, for example by a migration.
    ///
    /// Read the objects again that you show or keep.
    public let changesEverything: Bool
    /// A Boolean value that indicates whether more changes of the transaction follow in the next batch.
    ///
    /// It is true only for transactions of more than 10,000 changes, or with more than 1 MiB of preserved values.
    public internal(set) var isPartial: Bool
}

/// The kind of program that made a change in the history of a store.
public enum HistoryOrigin: Int16, Sendable, Hashable, CaseIterable {
    /// A save of a context.
    case save = 0
    /// A batch request.
    case batch = 1
    /// A statement of another program, noticed by a trigger.
    case otherProgram = 2
    /// A migration, or another change that concerns all objects.
    case migration = 3
}
