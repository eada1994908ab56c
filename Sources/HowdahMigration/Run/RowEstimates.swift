internal import HowdahSchema
package import PQClient

/// About how many rows tables have, as the server last counted.
package enum RowEstimates {
    /// By the table's name; without tables that were never analysed.
    ///
    /// - Throws: `PostgresError`.
    package static func of(_ schemaName: String, on connection: Connection) throws -> [String: Int] {
        var parameters = Parameters()
        try parameters.append(schemaName)
        return Dictionary(
            try connection.query(
                "SELECT c.relname::text, c.reltuples::pg_catalog.int8 FROM pg_catalog.pg_class c "
                    + "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                    + "WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND c.reltuples >= 0", parameters,
                cached: false
            ).map { ($0[0].string(), Int($0[1].int64)) }, uniquingKeysWith: { first, _ in first })
    }
}

extension StagedMigrationPlan {
    /// The same with about how many rows each step's tables have.
    package func estimated(_ rows: [String: Int]) -> StagedMigrationPlan {
        StagedMigrationPlan(
            stages: stages.map { stage in
                Stage(
                    label: stage.label, kind: stage.kind,
                    hasWillMigrateHandler: stage.hasWillMigrateHandler,
                    hasDidMigrateHandler: stage.hasDidMigrateHandler, plan: stage.plan.estimated(rows))
            })
    }
}

extension MigrationPlan {
    /// The same with about how many rows each step's tables have.
    package func estimated(_ rows: [String: Int]) -> MigrationPlan {
        var plan = self
        plan.steps = steps.map { step in
            var step = step
            let counts = step.tables.compactMap { rows[$0] }
            if !counts.isEmpty { step.estimatedRows = counts.reduce(0, +) }
            return step
        }
        return plan
    }
}
