public import PQClient

extension StoreEvent {
    /// One round trip to the server.
    ///
    /// Operation and table come from the code that rendered the statements. They are nil for your own SQL
    /// and for a few internal statements.
    public struct StatementReport: Sendable {
        /// The operation, such as `SELECT`, `COPY` or `COMMIT`. Several statements of one operation are a
        /// `BATCH INSERT`, and of different ones a `BATCH`.
        public let operation: String?
        /// The table, if all statements use the same one.
        public let collection: String?
        /// The operation and the table: `SELECT employee`. If neither is known, `postgresql`.
        ///
        /// A batch with different operations or tables is a `BATCH`.
        public let summary: String
        /// The number of statements without those that only control the transaction; nil for one.
        public let batchSize: Int?
        /// The texts of all statements, in their order.
        public let texts: [String]
        /// The label and the line of ``FetchRequest/tagged(_:file:line:)``; nil if the request has none.
        public let tag: String?
        /// The time from before sending to after the last byte of the answer.
        public let duration: Duration
        /// The rows returned or affected, in all.
        public let rows: Int
        /// The error of the statements; nil if they succeeded.
        public let error: PostgresError?
        /// A Boolean value that indicates whether your own SQL wrote the rows and returned none.
        package let isOwnWriting: Bool
    }

    /// One call of `perform`, with its waiting and its retries.
    public struct UnitOfWorkReport: Sendable {
        /// The isolation of its transaction; nil if it has none.
        public let isolation: Isolation?
        /// The time of the whole call.
        public let duration: Duration
        /// The time for which the call waited for a thread and a connection, in all of its runs.
        public let queueTime: Duration
        /// The number of runs of the body; 0 if it never began.
        public let runs: Int
        /// The error that the call threw; nil if it succeeded.
        public let error: (any Error)?
    }

    /// One call of `save()` with changes. If it failed, the numbers of objects are 0.
    public struct SaveReport: Sendable {
        /// The time of the whole call, with its retries.
        public let duration: Duration
        /// The number of inserted objects.
        public let insertedCount: Int
        /// The number of updated objects.
        public let updatedCount: Int
        /// The number of deleted rows.
        public let deletedCount: Int
        /// The number of attempts; 1 if the first one succeeded.
        public let attempts: Int
        /// The error that the call threw; nil if it succeeded.
        public let error: (any Error)?
    }

    /// The conflicts of one entity in one attempt of a save.
    public struct ConflictReport: Sendable {
        /// The entity; nil if it is unknown.
        public let entityName: String?
        /// The code of the error that describes the conflict, such as `conflict` or `uniqueness`.
        public let code: SaveError.Code
        /// The number of objects.
        public let count: Int
        /// A Boolean value that indicates whether the merge policy resolved the conflict.
        public let isResolved: Bool
    }

    /// A retry.
    public struct RetryReport: Sendable {
        /// The kinds of work that run again.
        public enum Work: String, Sendable {
            case save, unitOfWork
            /// A batch request that lost a deadlock.
            case batch
        }

        /// The work that runs again.
        public let work: Work
        /// The number of the attempt that follows, from 2.
        public let attempt: Int
        /// The error of the attempt before.
        public let error: any Error
    }

    /// One wait for a connection.
    public struct PoolWaitReport: Sendable {
        /// The time until there was a connection, or until the wait failed.
        public let duration: Duration
        /// The error of the wait; nil if it succeeded.
        public let error: (any Error)?
    }

    /// One step of a cohort: a statement for the objects of a whole result.
    public struct CohortStepReport: Sendable {
        /// The entity whose property was read.
        public let entityName: String
        /// The relationship that was read; nil if the values of the objects themselves were.
        public let relationshipName: String?
        /// The number of objects that the step loaded for.
        public let count: Int
        /// The tag of the request that fetched the objects; nil if it has none.
        public let tag: String?
    }
}
