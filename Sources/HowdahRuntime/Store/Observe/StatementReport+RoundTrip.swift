package import PQClient

extension StoreEvent.StatementReport {
    /// The texts in one, with those that follow each other unchanged only once, as OpenTelemetry writes batches.
    package var text: String {
        var parts: [String] = []
        for text in texts where parts.last != text { parts.append(text) }
        return parts.joined(separator: "; ")
    }

    /// OpenTelemetry's name for the rows, or Howdah's own if the statements only wrote them; nil if there are none by
    /// their nature.
    package var rowsName: String? {
        error == nil ? Self.rowsName(of: operation, isOwnWriting: isOwnWriting) : nil
    }

    /// Returns the name for the rows of an operation that succeeded. One that is not known returned them, unless it wrote
    /// them.
    package static func rowsName(of operation: String?, isOwnWriting: Bool) -> String? {
        switch operation {
        case nil where isOwnWriting: "howdah.affected_rows"
        case nil, "SELECT", "BATCH SELECT": "db.response.returned_rows"
        case "TRANSACTION", "COMMIT", "ROLLBACK", "DECLARE", "CLOSE", "EXPLAIN", "OPEN", "BATCH OPEN": nil
        default: "howdah.affected_rows"
        }
    }

    /// Returns OpenTelemetry's summary of an operation; nil if the operation is not known.
    ///
    /// The statements of a batch have one summary only if they have one operation and one table.
    package static func summary(of operation: String?, on collection: String?) -> String? {
        guard let operation, operation.hasPrefix("BATCH") else {
            return operation.map { [$0, collection].compactMap(\.self).joined(separator: " ") }
        }
        guard let collection, operation != "BATCH" else { return "BATCH" }
        return "\(operation) \(collection)"
    }

    /// Creates the report of a statement that was a round trip by itself.
    package init(_ statement: StatementEvent) {
        self.init(
            RoundTrip(
                texts: [statement.sql], subjects: [statement.subject], duration: statement.duration,
                rows: statement.rows, error: statement.error), isOwnWriting: statement.isOwnWriting)
    }

    /// Creates the report of a round trip, named as OpenTelemetry names operations and batches.
    init(_ trip: RoundTrip, isOwnWriting: Bool = false) {
        self.isOwnWriting = isOwnWriting
        let subject = RoundTripSubject(trip.subjects)
        operation = subject.name
        collection = subject.table?.name
        summary = Self.summary(of: operation, on: collection) ?? collection ?? "postgresql"
        batchSize = subject.statementCount > 1 ? subject.statementCount : nil
        texts = trip.texts
        tag = trip.subjects.lazy.compactMap { $0?.tag }.first
        duration = trip.duration
        rows = trip.rows
        error = trip.error
    }
}
