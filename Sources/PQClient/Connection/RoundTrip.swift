/// The statements of one round trip, for observers; made only if there is one.
package struct RoundTrip: Sendable {
    /// The texts in the order of their execution, up to the one that failed.
    package let texts: [String]
    /// The subject of each text, if the code that sent it stated one.
    package let subjects: [StatementSubject?]
    package let duration: Duration
    /// The rows returned or affected, in all.
    package let rows: Int
    package let error: PostgresError?

    package init(
        texts: [String], subjects: [StatementSubject?], duration: Duration, rows: Int, error: PostgresError?
    ) {
        self.texts = texts
        self.subjects = subjects
        self.duration = duration
        self.rows = rows
        self.error = error
    }
}

/// The operation and the table of all statements of a round trip, named as OpenTelemetry names batches.
package struct RoundTripSubject: Sendable {
    /// The operation; nil if it is unknown, or if the statements have several.
    package let operation: StatementSubject.Operation?
    /// The table; nil if there is none, or several.
    package let table: StatementTable?
    /// The number of statements that do not only control the transaction; 1 if there are none.
    package let statementCount: Int

    /// Joins the subjects of statements.
    package init(_ subjects: some Collection<StatementSubject?>) {
        var first: StatementSubject??
        var (last, isOneOperation, isOneTable, found) = (StatementSubject?.none, true, true, 0)
        for subject in subjects {
            last = subject
            // BEGIN and COMMIT around statements are not operations of their batch.
            if subject?.isControl == true { continue }
            found += 1
            guard let first else {
                first = .some(subject)
                continue
            }
            if subject?.operation != first?.operation { isOneOperation = false }
            if subject?.table !== first?.table, subject?.collection != first?.collection {
                isOneTable = false
            }
        }
        let named = first ?? last
        operation = isOneOperation ? named?.operation : nil
        table = isOneTable ? named?.table : nil
        statementCount = max(1, found)
    }

    /// The name of the operation; several statements of one operation are a `BATCH INSERT`, others a `BATCH`.
    package var name: String? { Self.name(of: operation, isBatch: statementCount > 1) }

    static func name(of operation: StatementSubject.Operation?, isBatch: Bool) -> String? {
        guard isBatch else { return operation?.name }
        return operation.map { "BATCH \($0.name)" } ?? "BATCH"
    }

    /// A Boolean value that indicates whether an observer may keep the table's object.
    var isKept: Bool { table?.isKept ?? true }
}

/// The part of a statement that an observer needs.
package enum ObserverNeed: Sendable {
    case nothing
    /// The operation, the table, the time and the rows.
    case numbers
    case everything
}

/// An observer of round trips.
package protocol RoundTripObserver: AnyObject {
    /// Returns the part that anything needs of a statement that succeeded.
    func need(after nanoseconds: Int64) -> ObserverNeed

    /// Receives the numbers of statements, on the thread that sent them.
    func receive(_ tally: borrowing RoundTripTally)

    /// Receives a statement that was a round trip by itself, on the thread that made it.
    func observe(_ statement: StatementEvent)

    /// Receives a round trip of several statements on the thread that made it.
    func observe(_ trip: RoundTrip)
}
