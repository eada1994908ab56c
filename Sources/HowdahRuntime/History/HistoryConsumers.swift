import HowdahModel
import HowdahSchema
import PQClient

/// The statements on the registered consumers of a store.
struct HistoryConsumers: Sendable {
    private let tables: HistoryTables

    private let isReadOnly: Bool

    init(_ store: Store) {
        tables = HistoryTables(in: store.layouts.schema.schemaName)
        isReadOnly = store.settings.isReadOnly
    }

    /// Returns the text of a consumer's token; nil if the consumer does not exist.
    func token(of name: String, on connection: Connection) throws -> String? {
        var parameters = Parameters()
        try parameters.append(name)
        return try HistoryError.explaining {
            try connection.query(
                "\(HistoryStatements.mark)SELECT \"token\" FROM \(tables.consumer) WHERE \"name\" = $1",
                parameters, about: StatementSubject(.select, tables.consumer)
            )
            .map { $0[0].string() }.first
        }
    }

    /// Registers a consumer; false if there is one of the name.
    func register(_ name: String, at token: HistoryToken, on connection: Connection) throws -> Bool {
        if isReadOnly { throw HistoryError.readOnly }
        let parameters = try Self.parameters(name, token)
        return try HistoryError.explaining {
            try connection.query(registration, parameters, about: StatementSubject(.select)).first {
                $0[0].isTrue
            } ?? false
        }
    }

    /// Registers a consumer again at another token, if its stored token is still `expired`; one transaction.
    ///
    /// The function of the owner inserts the row, because a purge that has begun must see the new position. If
    /// another process was first, its row stays.
    ///
    /// - Returns: False if another process registered the consumer, or acknowledged changes of it.
    func register(
        _ name: String, at token: HistoryToken, insteadOf expired: String, on connection: Connection
    ) throws -> Bool {
        if isReadOnly { throw HistoryError.readOnly }
        var batch = Batch()
        batch.add(removalAt, try Self.place(name, expired), about: removalSubject)
        batch.add(registration, try Self.parameters(name, token), about: StatementSubject(.select))
        return try HistoryError.explaining { try connection.run(batch)[1].first { $0[0].isTrue } ?? false }
    }

    /// Removes a consumer, if it has the token.
    func remove(_ name: String, at token: HistoryToken, on connection: Connection) throws {
        let parameters = try Self.place(name, token.description)
        _ = try HistoryError.explaining { try connection.query(removalAt, parameters, about: removalSubject) }
    }

    private var registration: String {
        "\(HistoryStatements.mark)SELECT \(tables.name(of: .register))($1, $2, $3::pg_catalog.pg_snapshot, $4)"
    }

    private var removalAt: String {
        "\(HistoryStatements.mark)DELETE FROM \(tables.consumer) WHERE \"name\" = $1 AND \"token\" = $2"
    }

    private var removalSubject: StatementSubject { StatementSubject(.delete, tables.consumer) }

    private static func place(_ name: String, _ token: String) throws -> Parameters {
        var parameters = Parameters()
        try parameters.append(name)
        try parameters.append(token)
        return parameters
    }

    /// Removes a consumer; false if there is none of the name.
    func remove(_ name: String, on connection: Connection) throws -> Bool {
        if isReadOnly { throw HistoryError.readOnly }
        var parameters = Parameters()
        try parameters.append(name)
        return try HistoryError.explaining {
            try connection.query(
                "\(HistoryStatements.mark)DELETE FROM \(tables.consumer) WHERE \"name\" = $1", parameters,
                about: removalSubject
            ).affectedRows > 0
        }
    }

    /// Replaces a consumer's token, if it is still one of those that its loop delivered before.
    ///
    /// - Throws: ``HistoryError`` with `consumerMoved` if it is another one.
    func acknowledge(
        _ token: HistoryToken, at position: HistoryPosition, on connection: Connection
    ) throws {
        if isReadOnly { throw HistoryError.readOnly }
        var parameters = try Self.parameters(position.name, token)
        let former = position.before(token.description)
        try parameters.appendArray(of: .text, count: former.count) { cells in
            for text in former { try cells.string(text) }
        }
        let result = try HistoryError.explaining {
            try connection.query(
                "\(HistoryStatements.mark)UPDATE \(tables.consumer) SET \"token\" = $2, \"snapshot\" = $3::pg_catalog.pg_snapshot, \"era\" = $4, "
                    + "\"acknowledged_at\" = pg_catalog.clock_timestamp() WHERE \"name\" = $1 AND \"token\" = ANY ($5)",
                parameters, about: StatementSubject(.update, tables.consumer))
        }
        guard result.affectedRows == 1 else {
            throw try self.token(of: position.name, on: connection) == nil
                ? HistoryError.removed(position.name) : HistoryError.moved(position.name)
        }
    }

    /// Returns the consumers that have acknowledged nothing for twice the retention, with the days since.
    func late(on connection: Connection) throws -> [(name: String, days: Int64)] {
        try connection.query(
            """
            \(HistoryStatements.mark)SELECT c."name", (EXTRACT(epoch FROM pg_catalog.clock_timestamp() - c."acknowledged_at") / 86400::pg_catalog.numeric)::pg_catalog.int8
            FROM \(tables.consumer) AS c CROSS JOIN (SELECT * FROM \(tables.state) LIMIT 1) AS s
            WHERE c."acknowledged_at" < pg_catalog.clock_timestamp() - 2 * s."retention" ORDER BY c."acknowledged_at"
            """, about: StatementSubject(.select)
        ).map { ($0[0].string(), $0[1].int64) }
    }

    private static func parameters(_ name: String, _ token: HistoryToken) throws -> Parameters {
        var parameters = Parameters()
        try parameters.append(name)
        try parameters.append(token.description)
        try parameters.append(token.snapshot.description)
        try parameters.append(token.era.description)
        return parameters
    }
}

extension ManagedObjectContext {
    /// Acknowledges a batch of a consumer, in the transaction of `perform(isolation:)` if there is one.
    ///
    /// If the transaction also has all effects of the batch, they happen exactly once: if another process or
    /// a failure intervenes, both are rolled back.
    ///
    /// ```swift
    /// try await container.perform(isolation: .readCommitted) { context in
    ///     … // the effects of the batch, and context.save()
    ///     try context.acknowledge(batch)
    /// }
    /// ```
    /// - Throws: ``HistoryError`` with `consumerMoved` if another process acknowledged changes of the
    ///   consumer, or it was removed; `invalidRequest` if the batch is of no consumer; or `database`.
    public func acknowledge(_ batch: HistoryBatch) throws {
        try throwFailures()
        guard let position = batch.position else {
            throw HistoryError(
                .invalidRequest,
                "The batch is of a stream without a consumer. Keep its token, or begin with historyConsumer(_:)."
            )
        }
        let root = root
        root.unit?.noteWriting()
        try root.withHistory { try HistoryConsumers(store).acknowledge(batch.token, at: position, on: $0) }
        let text = batch.token.description
        if let unit = root.unit, unit.isTransaction {
            unit.afterCommit { position.acknowledge(text) }
        } else {
            root.unit?.noteStoring()
            position.acknowledge(text)
        }
    }
}
