import Howdah

/// Some packages of a source, and what has to happen in a context so that the store agrees with them.
///
/// Everything is found by its unique name, and only what differs is touched: applied again, a batch changes nothing.
struct ImportBatch: Sendable {
    let records: [PackageRecord]
    let source: PackageSource
    /// How many packages of the source came before this batch.
    let packagesBefore: Int
    /// Whether nothing comes after this batch; not so where the limit cut the source short.
    let isEnd: Bool

    /// Changes objects without saving them, and counts what it changed.
    func apply(in context: ManagedObjectContext) throws -> ImportTally {
        let names = try NameIndex(for: records, in: context)
        for record in records {
            let package = names.package(record.name)
            // What dpkg says of an installed package stands: the lists may hold a newer version.
            if package.isInstalled && !source.isInstalled { continue }
            PackageUpdate(package: package, record: record, names: names, isInstalled: source.isInstalled)
                .apply()
        }
        try note(in: context)
        return ImportTally(
            packages: records.count, dependencies: records.reduce(0) { $0 + $1.dependencies.count },
            inserted: context.insertedObjects.count,
            changed: context.updatedObjects.count, deleted: context.deletedObjects.count)
    }

    /// Writes down how far the import is, in the same transaction; an object without a class, used by names.
    private func note(in context: ManagedObjectContext) throws {
        let known = try context.fetch("ImportRecord", matching: .format("source == %@", source.rawValue))
            .first
        let record = known ?? context.insert("ImportRecord")
        if known == nil { record["source"] = source.rawValue }
        let count = packagesBefore + records.count
        if let packages = record["packages"] as? Int64, packages < count { record["packages"] = count }
        let isComplete = record["isComplete"] as? Bool ?? false
        if isEnd, !isComplete { record["isComplete"] = true }
    }
}
