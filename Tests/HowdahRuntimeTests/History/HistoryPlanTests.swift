import Foundation
import HowdahModel
import HowdahSchema
import PQClient
import Testing

@testable import HowdahRuntime

/// A look for new changes costs the same however much history there is.
struct HistoryPlanTests {
    @Test func emptyPollsReadNoRows() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            // One transaction is open from before all others.
            let stuck = try store.writer()
            try stuck.session.begin()
            _ = try stuck.session.query("SELECT pg_current_xact_id()")
            _ = try writer.session.query(
                """
                INSERT INTO \(HistoryStore.tables.history) (slot, number, part, origin, entity, kind, ids)
                SELECT g / 150000, g, 0, 0, 'Employee', 1, ARRAY[g] FROM generate_series(1, 200000) g
                """)
            let token = try await store.container.currentHistoryToken()
            let statements = HistoryStatements(in: "public")
            var parameters = Parameters()
            try parameters.append(token.snapshot.description)
            for _ in 0..<3 { parameters.appendNull(.text) }
            try HistoryConditions(nil, in: store.container.store).append(to: &parameters)
            var batch = Batch()
            batch.add(HistoryStatements.pollSettings)
            batch.add("EXPLAIN (ANALYZE, BUFFERS) " + statements.poll, parameters, cached: false)
            let plan = try writer.session.run(batch)[1].map { $0[0].string() }
            let text = plan.joined(separator: "\n")
            #expect(!text.contains("JIT") && !text.contains("Seq Scan on _howdah_history_0"), "\(text)")
            #expect(text.contains("Bitmap Index Scan on _howdah_history_0_txid_idx"), "\(text)")
            // The whole is no more than some pages of the indexes.
            let buffers = plan.first { $0.contains("Buffers: shared hit=") } ?? ""
            let hits =
                buffers.split(separator: "hit=").last.flatMap { Int($0.prefix { $0.isNumber }) } ?? .max
            #expect(hits < 300, "\(text)")
        }
    }

    /// The settings of the planner end with the statement that they are for.
    @Test func settingsDoNotOutliveTheStatement() async throws {
        try await HistoryStore.with(connections: 1) { store in
            let token = try await store.container.currentHistoryToken()
            let settings = try await store.container.perform { context in
                _ = try context.execute(HistoryRequest.fetch(after: token))
                return try context.fetchRows(
                    String.self, String.self,
                    sql: "SELECT current_setting('enable_seqscan'), current_setting('plan_cache_mode')")[0]
            }
            #expect(settings.0 == "on" && settings.1 == "auto")
        }
    }
}
