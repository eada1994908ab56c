import HowdahModel
import PQClient

extension ManagedObjectContext {
    /// Returns the objects whose keys are in the first column of your own statement's result, in its order.
    ///
    /// The statement is sent unchanged. Another one loads the objects that the context does not know. If a
    /// row is not of the class, or does not exist, it is left out. Unsaved changes do not count.
    ///
    /// ```swift
    /// context.fetch(Employee.self, sql: "SELECT _id FROM employee WHERE salary > \(limit) ORDER BY random()")
    /// ```
    /// - Throws: `FetchError` with `invalidRequest` if the first column is not an integer, or `database` if
    ///   the server refuses the statement.
    public func fetch<Object: ManagedObject>(_ type: Object.Type, sql query: SQLQuery) throws -> [Object] {
        try throwFailure()
        try checkConnection()
        let layout = try layout(for: FetchRequest<Object>())
        do {
            return try withConnection { connection in
                let result = try run(query, on: connection)
                let types: Set<OID> = [.int2, .int4, .int8]
                guard result.columnCount > 0, types.contains(result.type(ofColumn: 0)) else {
                    throw FetchError(
                        .invalidRequest,
                        "The statement's first column is not a bigint. Select the key of \(layout.name)'s rows first, "
                            + "as a bigint."
                    )
                }
                let keys = result.map { $0[0].isNull ? -1 : $0[0].int64 }
                var parameters = Parameters()
                parameters.append(keys)
                let selection = store.layouts.selection(of: layout)
                var registration = Registration(self, selection, of: layout)
                let rows = try connection.query(
                    selection.rowsByKeys, parameters, about: StatementSubject(.select, layout.table.subject))
                let found = try registration.register(rows)
                registration.makeCohort()
                registration.awaken()
                let objects = Dictionary(found.map { ($0.key, $0) }) { first, _ in first }
                return keys.compactMap { objects[$0] as? Object }
            }
        } catch {
            throw store.readError(error, mayHaveWritten: true)
        }
    }

    /// Returns the rows of your own statement as tuples, with a type for each column.
    ///
    /// The call sends one statement, unchanged. It may also write, inside of a transaction of `perform` too.
    /// Objects are not notified.
    ///
    /// Outside of a transaction, a statement with other columns than these types is refused before it runs.
    /// At the text's first use on a connection, that takes two more round trips. For a statement without
    /// columns, give no types: `_ = try context.fetchRows(sql: "UPDATE …")`.
    ///
    /// ```swift
    /// for (name, total) in try context.fetchRows(String.self, Decimal?.self, sql: "SELECT …") { … }
    /// ```
    /// - Throws: `FetchError` with `invalidRequest` if the columns differ, or `invalidValue` for NULL or a
    ///   value that the type does not have. `FetchError.database` if the server refuses the statement.
    public func fetchRows<each Column: AttributeValue>(
        _ types: repeat (each Column).Type, sql query: SQLQuery
    ) throws -> [(repeat each Column)] {
        try tuples(repeat each types, of: query)
    }

    /// Returns the values of the only column of your own statement.
    ///
    /// It works as `fetchRows(_:sql:)` for several columns, but returns an array of values, which you can
    /// compare directly.
    ///
    /// ```swift
    /// if try context.fetchRows(Int64.self, sql: "SELECT count(*) FROM job WHERE done IS NULL") == [0] { … }
    /// ```
    /// - Throws: `FetchError` with `invalidRequest` if there are other columns, or `invalidValue` for NULL or
    ///   a value that the type does not have. `FetchError.database` if the server refuses the statement.
    public func fetchRows<Column: AttributeValue>(_ type: Column.Type, sql query: SQLQuery) throws -> [Column]
    {
        try tuples(type, of: query)
    }

    private func tuples<each Column: AttributeValue>(
        _ types: repeat (each Column).Type, of query: SQLQuery
    ) throws -> [(repeat each Column)] {
        try throwFailures()
        return try root.storedTuples(repeat each types, of: query)
    }

    private func storedTuples<each Column: AttributeValue>(
        _ types: repeat (each Column).Type, of query: SQLQuery
    ) throws -> [(repeat each Column)] {
        guard let layout = layouts.first else { return [] }
        do {
            var columns = RawColumns([])
            func check(_ found: [QueryResult.Column]) throws {
                columns = RawColumns(found)
                repeat try columns.expect(each types)
                try columns.expectEnd()
            }
            let result = try withConnection { connection in
                try refuse(query, on: connection)
                // In a transaction the error undoes what the statement did; alone it would be committed by then.
                if connection.transactionStatus == .idle, query.failure == nil {
                    var identities: [ObjectIdentifier] = []
                    repeat identities.append(ObjectIdentifier((each types)))
                    try explaining(query) {
                        try connection.checkColumns(of: query.text, query.parameters, as: identities, check)
                    }
                }
                return try run(query, on: connection)
            }
            try check(result.columns)
            let positions = columns.positions
            return try positions.withUnsafeBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return [] }
                return try result.map { row in
                    try columns.checkNulls(in: row)
                    var reader = _RowReader(row: row, positions: base, layout: layout)
                    let values = (repeat reader.read(each types))
                    if reader.failure != nil { throw columns.unreadable }
                    return values
                }
            }
        } catch {
            throw store.readError(error, mayHaveWritten: true)
        }
    }

    private func run(_ query: SQLQuery, on connection: Connection) throws -> QueryResult {
        if let failure = query.failure { throw failure }
        try refuse(query, on: connection)
        // Views, operators and triggers can call functions that change it, and no text tells.
        connection.mayBeChanged = true
        // A SELECT may call a function that writes, and an error may come after it did.
        unit?.noteWriting()
        let status = connection.transactionStatus
        let result = try explaining(query) { try connection.query(query.text, query.parameters) }
        guard connection.transactionStatus == status else {
            connection.close()
            throw FetchError(
                .invalidRequest,
                "The statement began or ended a transaction, and the connection was closed. Use perform(isolation:), which begins "
                    + "a transaction and ends it with the body.")
        }
        if query.mayHaveWritten(result) { unit?.noteStoring() }
        return result
    }

    private func refuse(_ query: SQLQuery, on connection: Connection) throws {
        if let refusal = query.refusalOfTransactionControl { throw refusal }
        if connection.isPooled, let refusal = query.refusalBehindPooler { throw refusal }
    }

    private func explaining<T>(_ query: SQLQuery, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as PostgresError {
            throw FetchError(refusing: query, error) as (any Error)? ?? error
        }
    }
}
