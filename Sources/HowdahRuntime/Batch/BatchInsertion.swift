import Foundation
import HowdahModel
import PQClient

/// Inserts rows of one entity as they arrive: by COPY, or in chunks that may meet existing rows.
///
/// Memory is bounded by a chunk, for any number of rows. Their keys are kept only if they are requested.
struct BatchInsertion {
    /// The maximum number of keys that are drawn at once, and so of rows of a COPY with keys.
    static let mostKeys = 65_536
    private static let fewestKeys = 1_024
    static let rowsBetweenLooks = 1_024

    let context: ManagedObjectContext
    let layout: EntityLayout
    let arbiter: BatchArbiter?
    let transaction: SaveTransaction
    let connection: Connection
    let effects: BatchEffects
    let needsIDs: Bool
    /// A Boolean value that indicates whether the keys of all rows must be known for the history.
    let tracesRows: Bool
    private let computed: InitialValues?
    /// The history of the rows that exist already; nil if it is not needed.
    private let trace: BatchTrace?
    var outcome = BatchOutcome()
    var rows: BatchRows
    /// The drawn keys that were not used, in order.
    var keys: ArraySlice<Int64> = []
    /// The number of keys to draw next, and the known minimum of the source's rows.
    private var nextDraw = BatchInsertion.fewestKeys
    private let leastCount: Int
    /// The number of rows before the running COPY.
    private var copied = 0
    var upsert: BatchUpsert?
    /// The refused rows; nil if the first one makes the insertion fail.
    var refused: RefusedRowList?

    init(
        _ layout: EntityLayout, _ arbiter: BatchArbiter?, needsIDs: Bool, leastCount: Int,
        computed: InitialValues?, refused: RefusedRowList?, _ context: ManagedObjectContext,
        _ transaction: SaveTransaction,
        _ connection: Connection
    ) {
        self.context = context
        self.layout = layout
        self.arbiter = arbiter
        self.transaction = transaction
        self.connection = connection
        self.needsIDs = needsIDs
        self.computed = computed
        tracesRows = context.store.history != nil
        self.leastCount = leastCount
        self.refused = refused
        effects = BatchEffects(inserting: layout, in: context.store.layouts, meetsRows: arbiter != nil)
        let hasKeys =
            needsIDs || tracesRows || arbiter != nil || refused != nil || effects.needsKeys
            || layout.table.existing != nil
        let columns = BatchColumns(
            layout, in: context.layouts, hasKeys: hasKeys, computed: computed?.slots ?? [], at: Date())
        let ends = tracesRows ? layout.toOnesWithInverse : []
        rows = BatchRows(columns, watching: effects.watchedSlots.union(ends), computed: computed)
        rows.refused = refused?.numbers ?? []
        trace =
            tracesRows && arbiter != nil
            ? BatchTrace(
                updating: Set(columns.properties.map(\.slot)).subtracting(effects.keptSlots), of: layout,
                in: context) : nil
        upsert = arbiter.map { [effects, trace] in BatchUpsert(columns, $0, effects.keptSlots, trace) }
        if upsert == nil, context.store.copies.tables.contains(layout.table.name) { stopCopying() }
    }

    /// Makes statements without COPY insert the rows, because row level security applies to the table.
    mutating func stopCopying() {
        if !rows.columns.hasKeys {
            let columns = BatchColumns(
                layout, in: context.layouts, hasKeys: true, computed: computed?.slots ?? [], at: Date())
            rows = BatchRows(columns, watching: rows.watched, computed: computed)
        }
        upsert = BatchUpsert(rows.columns, nil, [], nil)
    }

    /// Inserts all rows and runs their effects, without a commit.
    mutating func run<Row: BatchRow>(_ next: () throws -> Row?) throws {
        do {
            guard let row = try next() else {
                // A spool may have had nothing but refused rows.
                outcome.refused = refused?.rows ?? []
                return logRefusedRows()
            }
            if refused != nil {
                try storeAccepted(row, next)
            } else if upsert != nil {
                try meet(row, next)
            } else {
                do {
                    try copy(row, next)
                } catch let error as PostgresError where rows.number == 0 && isCopyRefused(error) {
                    transaction.startAgain()
                    stopCopying()
                    try meet(row, next)
                }
            }
        } catch {
            let failure = BatchFailure(context.store.layouts, among: upsert?.running)
            throw failure.error(error, inserting: layout) { failedRow($0) }
        }
        context.store.keys.giveBack(keys, for: layout)
        outcome.refused = refused?.rows.sorted { $0.row < $1.row } ?? []
        logRefusedRows()
        // The last rows of a spool's source may be missing in it, because they were refused.
        let count = max(rows.number, outcome.refused.last?.row ?? 0)
        outcome.skippedCount =
            count - outcome.refused.count - outcome.insertedCount - outcome.updatedCount
        do {
            try effects.run(transaction, rows.destinations, &outcome)
        } catch {
            throw BatchFailure(context.store.layouts, failed: transaction.failed).error(error) { _ in nil }
        }
    }

    // MARK: COPY

    private mutating func copy<Row: BatchRow>(_ first: Row, _ next: () throws -> Row?) throws {
        let columns = rows.columns
        var row: Row? = first
        while row != nil {
            if columns.hasKeys, keys.isEmpty { try drawKeys() }
            copied = rows.number
            let width = columns.all.count
            var sent: [Int64] = []
            let count = try transaction.copy(columns.copy, into: layout.table) { writer in
                while let present = row {
                    var key: Int64?
                    if columns.hasKeys {
                        guard let drawn = keys.popFirst() else { return }
                        key = drawn
                        if needsIDs || tracesRows || effects.needsKeys { sent.append(drawn) }
                    }
                    try writer.row(columns: width) { try present.write(by: &rows, key: key, to: &$0) }
                    if rows.number % Self.rowsBetweenLooks == 0 { try Task.checkCancellation() }
                    row = try next()
                }
            }
            try noteCopied(count, of: rows.number - copied, sent)
        }
    }

    /// Returns a Boolean value that indicates whether the server refused a COPY for row level security.
    func isCopyRefused(_ error: PostgresError) -> Bool {
        error.sqlState == SQLState.featureNotSupported
            && context.store.copies.tables.contains(layout.table.name)
    }

    /// Records the rows of a COPY, or of a statement that inserts them. A trigger of the table may have left out some of them.
    mutating func noteCopied(_ count: Int, of sentCount: Int, _ keys: [Int64]) throws {
        outcome.insertedCount += count
        guard count < sentCount, !keys.isEmpty else { return noteInserted(keys) }
        let table = layout.table
        var parameters = Parameters()
        parameters.append(keys)
        let found = try transaction.query(
            "SELECT \(table.key.name) FROM \(table) WHERE \(table.key.name) = ANY($1)", parameters)
        let stored = Set(found.map { $0[0].int64 })
        noteInserted(keys.filter(stored.contains))
    }

    private mutating func noteInserted(_ keys: [Int64]) {
        if needsIDs || effects.needsKeys { outcome.insertedKeys += keys }
        if tracesRows { outcome.insertedRuns.append(contentsOf: keys) }
    }

    mutating func drawKeys() throws {
        let rest = leastCount - rows.number
        let count = min(Self.mostKeys, rest > 0 ? rest : nextDraw)
        if rest <= 0 { nextDraw = min(Self.mostKeys, nextDraw * 2) }
        do {
            keys = try context.store.keys.draw(count, for: layout, on: connection)[...]
        } catch var error as PostgresError {
            // Drawing numbers stores nothing.
            error.mayHaveCommitted = false
            throw error
        }
    }

    // MARK: Rows that may be there already

    private mutating func meet<Row: BatchRow>(_ first: Row, _ next: () throws -> Row?) throws {
        var row: Row? = first
        while let present = row {
            if keys.isEmpty { try drawKeys() }
            guard let key = keys.popFirst() else { return }
            let values = try present.values(by: &rows, key: key)
            if upsert?.isFull(before: values) == true { try flush() }
            try upsert?.add(values, named: rows.named, row: rows.number)
            if rows.number % Self.rowsBetweenLooks == 0 { try Task.checkCancellation() }
            row = try next()
        }
        try flush()
    }

    mutating func flush() throws {
        for statement in try upsert?.statements() ?? [] {
            upsert?.running = statement
            let subject = StatementSubject(.insert, layout.table.subject)
            let texts = [statement.locking, statement.sql].compactMap(\.self)
            let results = try transaction.run(
                texts.map { SaveStatement($0, statement.parameters, about: subject) })
            if arbiter == nil {
                let keys = needsIDs || tracesRows || effects.needsKeys ? statement.keys : []
                try noteCopied(results[0].affectedRows, of: statement.keys.count, keys)
                continue
            }
            for result in results {
                try upsert?.note(result, of: statement, needsIDs: needsIDs || tracesRows, &outcome)
            }
            if statement.locking != nil { trace?.noteEnds(results[1], from: 1, in: &outcome.formerOwners) }
        }
        upsert?.clear()
    }

    // MARK: Errors

    /// Returns the row that an error of the server concerns.
    private func failedRow(_ error: PostgresError) -> Int? {
        if let statement = upsert?.running { return statement.row(of: error, context.store.layouts) }
        return error.copiedLine(of: layout, in: context.store.layouts).map { copied + $0 }
    }
}

extension PostgresError {
    /// Returns the row of a COPY that the error concerns, from 1.
    func copiedLine(of layout: EntityLayout, in layouts: StoreLayout) -> Int? {
        // The word for "line" is in the server's language.
        let digits = copiedPlace(of: layout, in: layouts)?.drop { !$0.isNumber }
        return digits.flatMap { Int($0.prefix { $0.isNumber }) }
    }

    /// Returns the place in a COPY that the error concerns, such as ` line 3, column name: "x"`.
    ///
    /// The name of the table is in front of it, as it is. It may contain commas and digits.
    func copiedPlace(of layout: EntityLayout, in layouts: StoreLayout) -> Substring? {
        guard let context, let table = layouts.schema.entities[layout.name]?.table else { return nil }
        let start = "COPY \(table),"
        return context.hasPrefix(start) ? context.dropFirst(start.count) : nil
    }
}
