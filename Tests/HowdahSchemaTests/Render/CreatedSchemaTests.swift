import HowdahModel
import HowdahSchema
import TestSupport
import Testing

/// What a real server makes of the DDL.
@Suite(.serialized, .enabled(if: ThrowAwayServer.absence == nil, "\(ThrowAwayServer.absence ?? "")"))
struct CreatedSchemaTests {
    @Test func randomModelsBecomeTheirTables() throws {
        let server = try ThrowAwayServer()
        for seed in UInt64(1)...60 {
            let model = try RandomModel.make(seed: seed)
            let schema = try StoreSchema(model, schemaName: "store \(seed) \"quoted\"")
            let creation = SchemaCreation(schema)
            do {
                try server.run(creation.probes.map(\.sql) + creation.statements)
            } catch {
                Issue.record("seed \(seed): \(error)\n\(creation.statements.joined(separator: ";\n"))")
                return
            }
            #expect(try Self.names(of: schema, on: server) == schema.allNames.sortedByBytes, "seed \(seed)")
        }
    }

    /// All relations and the constraints that are no indexes; those of the store's own tables are left out.
    private static func names(of schema: StoreSchema, on server: ThrowAwayServer) throws -> [String] {
        let namespace = "'\(schema.schemaName)'"
        let output = try server.run([
            """
            SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
            WHERE nspname = \(namespace) AND relkind IN ('r', 'i', 'S')
                AND relname NOT IN ('_howdah_store_pkey', '_howdah_save_pkey', '_howdah_metadata_pkey')
            UNION ALL
            SELECT conname FROM pg_constraint c JOIN pg_namespace n ON n.oid = connamespace
            WHERE nspname = \(namespace) AND contype IN ('c', 'f') AND conname <> '_howdah_store_singleton_check'
            """
        ])
        return output.split(separator: "\n").map(String.init).sortedByBytes
    }
}

extension [String] {
    fileprivate var sortedByBytes: [String] { sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
}
