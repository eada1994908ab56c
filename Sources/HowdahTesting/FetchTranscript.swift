public import HowdahModel
public import HowdahRuntime
import PQClient

extension PersistentContainer {
    /// Returns the SQL of a fetch, followed by its rows, to compare in a test.
    ///
    /// Values of the named properties are in columns. Rows are in the order of the result.
    public nonisolated(nonsending) func transcript<Object: ManagedObject>(
        of request: FetchRequest<Object>, showing properties: [String]
    ) async throws -> String {
        statementLog.start()
        let rows = try await perform { context in
            try context.fetch(request).map { object in
                properties.map { name in object.value(forKey: name).map { "\($0)" } ?? "nil" }
            }
        }
        let sql = statementLog.statements.map(\.sql).joined(separator: "\n")
        return ([sql] + table([properties] + rows)).joined(separator: "\n")
    }

    private func table(_ rows: [[String]]) -> [String] {
        let widths = rows.first.map { header in
            header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        }
        return rows.map { row in
            zip(row, widths ?? []).map { $0 + String(repeating: " ", count: $1 - $0.count) }
                .joined(separator: " | ").trimmedRight
        }
    }
}

extension String {
    fileprivate var trimmedRight: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
