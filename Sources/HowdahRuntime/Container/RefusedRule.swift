import HowdahModel
import HowdahSchema
import PQClient

/// Finds the rule or index of a model that the server refused when a store was created.
struct RefusedRule {
    private let schema: StoreSchema
    private let connection: Connection

    init(_ schema: StoreSchema, _ connection: Connection) {
        self.schema = schema
        self.connection = connection
    }

    /// Returns an error that names entity and property; nil if the server's error has another reason.
    ///
    /// The store is created by one script, which does not report the failed part: its parts run again one by
    /// one.
    func explained(_ error: any Error) -> StoreError? {
        guard let error = error as? PostgresError, let state = error.sqlState,
            ["22", "42", "54", "0A", "2B", "XX"].contains(String(state.prefix(2)))
        else { return nil }
        for probe in SchemaCreation(schema).probes {
            // A connection that breaks meanwhile says nothing about the rule.
            if let refusal = refusal(of: probe.sql), refusal.sqlState == state {
                return named(probe.origin, probe.expression, refusal)
            }
        }
        return refusedIndex(state)
    }

    private func refusal(of sql: String) -> PostgresError? {
        do {
            try connection.executeScript(sql)
            return nil
        } catch {
            return error as? PostgresError
        }
    }

    /// Creates everything again, statement by statement, and rolls it back.
    private func refusedIndex(_ state: String) -> StoreError? {
        guard (try? connection.begin()) != nil else { return nil }
        defer { try? connection.rollback() }
        var indexes: [String: StoreSchema.Index] = [:]
        for table in schema.tables {
            for index in table.indexes {
                indexes[index.creation(on: table, in: schema.schemaName)] = index
            }
        }
        for statement in SchemaCreation(schema).statements {
            guard let refusal = refusal(of: statement) else { continue }
            guard refusal.sqlState == state else { return nil }
            return indexes[statement].map { named($0.origin, $0.expressions.first, refusal) }
        }
        return nil
    }

    /// Returns the error for a rule or an index. The server's message is about the model, not a row.
    private func named(
        _ origin: StoreSchema.Origin, _ expression: String?, _ refusal: PostgresError
    ) -> StoreError {
        let message: String
        if let index = origin.fetchIndex, let complaint = refusal.localeComplaint {
            message =
                "The fetch index \(origin.entity).\(index) cannot be created. \(complaint) Or remove the index from "
                + "the model."
        } else if let index = origin.fetchIndex {
            let what = expression.map { "the expression \($0) of the" } ?? "the"
            message =
                "The database refused \(what) fetch index \(origin.entity).\(index): \(refusal.message). The "
                + "expressions of a fetch index are SQL with the names of columns. Correct the expression, "
                + "or remove the index from the model."
        } else {
            let place = ([origin.entity] + [origin.properties.joined(separator: ", ")]).filter { !$0.isEmpty }
            message =
                "The database refused a rule of the model for \(place.joined(separator: ".")): "
                + "\(refusal.message). Simplify or remove that rule."
        }
        return StoreError(.invalidModel, message, databaseError: refusal)
    }
}
