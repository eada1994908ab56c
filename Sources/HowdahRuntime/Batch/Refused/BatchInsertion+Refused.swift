import HowdahModel
import Logging
import PQClient

extension BatchInsertion {
    /// The number of rows that are sent together, and that a refused one makes the server write again.
    private static var rowsTogether: Int { 2_000 }

    /// A row that was resolved and checked, and is not stored yet.
    struct Pending {
        let values: [Value]
        let named: [Bool]
        let number: Int
        let destinations: [Int: Set<Int64>]
    }

    /// Inserts all rows that neither the model nor the database refuses.
    mutating func storeAccepted<Row: BatchRow>(_ first: Row, _ next: () throws -> Row?) throws {
        let log = context.store.log
        connection.observer = log.observer { $0.refusesRow }
        defer { connection.observer = log.observer }
        var row: Row? = first
        var pending: [Pending] = []
        var stored: [Int: Set<Int64>] = [:]
        while let present = row {
            if keys.isEmpty { try drawKeys() }
            guard let key = keys.first else { return }
            rows.destinations = [:]
            do {
                let values = try present.values(by: &rows, key: key)
                keys.removeFirst()
                pending.append(
                    Pending(
                        values: values, named: rows.named, number: rows.number,
                        destinations: rows.destinations))
            } catch let error as SaveError where error.code == .validation {
                try refused?.add(rows.number, error.issues)
            }
            if pending.count == Self.rowsTogether {
                try store(pending, &stored)
                pending = []
            }
            if rows.number % Self.rowsBetweenLooks == 0 { try Task.checkCancellation() }
            row = try next()
        }
        try store(pending, &stored)
        rows.destinations = stored
    }

    /// Logs the number of refused rows, whose statements are not logged as failures.
    func logRefusedRows() {
        guard !outcome.refused.isEmpty else { return }
        context.store.log.logger.warning(
            "Rows of a batch insertion were refused. Read them in the result's property refused.",
            metadata: ["entity": "\(layout.name)", "refused": "\(outcome.refused.count)"])
    }

    /// Stores rows in their order. If the database refuses a statement, its rows are sent again in parts: the
    /// row that the error names alone, or else both halves.
    ///
    /// So k refused ones of n rows cost about 3 k statements, or k log n if errors name no rows.
    private mutating func store(_ pending: [Pending], _ stored: inout [Int: Set<Int64>]) throws {
        // The last part is the next one.
        var parts = [pending[...]]
        while let part = parts.popLast() {
            if part.isEmpty { continue }
            let before = outcome
            let failure: PostgresError
            do {
                try transaction.inSavepoint { try write(part) }
                for row in part { stored.merge(row.destinations) { $0.union($1) } }
                continue
            } catch let error as PostgresError where upsert == nil && isCopyRefused(error) {
                // The keys are drawn already, so these rows are sent again as they are.
                outcome = before
                stopCopying()
                parts.append(part)
                continue
            } catch let error as PostgresError where error.refusesRow {
                failure = error
            }
            outcome = before
            defer { upsert?.clear() }
            guard part.count > 1 else {
                let number = part[part.startIndex].number
                let translation = BatchFailure(context.store.layouts, among: upsert?.running)
                let error = translation.error(failure, inserting: layout) { _ in number }
                try refused?.add(number, (error as? SaveError)?.issues ?? [])
                continue
            }
            if let place = place(of: failure, in: part) {
                parts += [part[(place + 1)...], part[place...place], part[..<place]]
            } else {
                let middle = part.startIndex + part.count / 2
                parts += [part[middle...], part[..<middle]]
            }
            try Task.checkCancellation()
        }
    }

    private mutating func write(_ part: ArraySlice<Pending>) throws {
        if upsert != nil {
            for row in part {
                if upsert?.isFull(before: row.values) == true { try flush() }
                try upsert?.add(row.values, named: row.named, row: row.number)
            }
            return try flush()
        }
        let columns = rows.columns
        let count = try transaction.copy(columns.copy, into: layout.table) { writer in
            for row in part {
                try writer.row(columns: columns.all.count) { cells in
                    for (value, column) in zip(row.values, columns.all) {
                        try cells.write(value, as: column.type)
                    }
                }
            }
        }
        var sent: [Int64] = []
        if needsIDs || tracesRows || effects.needsKeys {
            for row in part { if case .int(let key) = row.values[0] { sent.append(key) } }
        }
        try noteCopied(count, of: part.count, sent)
    }

    /// Returns the place of the row that an error of the server names.
    private func place(of error: PostgresError, in part: ArraySlice<Pending>) -> Int? {
        if let statement = upsert?.running {
            let number = statement.row(of: error, context.store.layouts)
            return part.firstIndex { $0.number == number }
        }
        let line = error.copiedLine(of: layout, in: context.store.layouts)
        let place = line.map { part.startIndex + $0 - 1 }
        return place.flatMap { part.indices.contains($0) ? $0 : nil }
    }
}
