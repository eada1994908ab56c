import Howdah

/// Imports a source, a batch of packages per context and save.
///
/// Memory is bounded by the batch: a context ends with its `perform`, and all its objects with it. A save is a
/// transaction, so that an import that is killed leaves whole batches behind and no half one; the next run compares
/// every package with what is there and goes on where something is missing.
struct PackageImport {
    static let batchSize = 1_000

    let source: PackageSource
    let limit: Int
    let container: PersistentContainer

    /// Reads the source to its end, or to the limit.
    func run() async throws -> ImportTally {
        let stream = try source.open()
        defer { stream.close() }
        if let count = try await interrupted(), count < limit {
            Screen.line(
                "  An earlier import stopped after \(Format.count(Int(count))) packages, at the end of a save. This import continues it."
            )
        }
        var bar = ProgressBar(total: source.expectedCount().map { min($0, limit) })
        var tally = ImportTally()
        while true {
            let records = try stream.next(min(Self.batchSize, limit - tally.packages))
            let batch = ImportBatch(
                records: records, source: source, packagesBefore: tally.packages,
                isEnd: records.isEmpty && tally.packages < limit)
            tally += try await container.perform { context in
                let tally = try batch.apply(in: context)
                try context.save()
                return tally
            }
            bar.show(tally.packages)
            if records.isEmpty { break }
        }
        bar.clear()
        return tally
    }

    /// How far an earlier import of this source came that did not come to its end.
    private func interrupted() async throws -> Int64? {
        let name = source.rawValue
        return try await container.perform { context in
            let records = try context.fetch(
                "ImportRecord", matching: .format("source == %@ AND isComplete == NO", name))
            return records.first?["packages"] as? Int64
        }
    }
}
