import Foundation
import HowdahModel
import PQClient

/// The storage of a long value from its parts.
///
/// A large object collects the parts, and one UPDATE moves its content into the row. An UPDATE per part would
/// write the whole value each time. A temporary table would need a right to create it, and its parts twice
/// the memory when they are joined.
struct DataWriting {
    /// The greatest number of bytes of a value: what PostgreSQL allocates at most, with room for a header and
    /// the row's other values.
    static let maximumCount = 1_073_741_000
    private static let chunk = 1 << 20

    private let attribute: BinaryAttribute
    private let expected: Int64?
    private let context: ManagedObjectContext

    /// - Throws: `FetchError.invalidRequest` or `SaveError.readOnly` for an attribute that cannot be written
    ///   in parts.
    init(
        _ attribute: BinaryAttribute, expecting version: ObjectVersion?, in context: ManagedObjectContext
    ) throws {
        self.attribute = attribute
        self.context = context
        let layout = attribute.layout
        let place = "\(layout.name).\(attribute.name)"
        _ = try layout.table.writtenVersion()
        guard let description = layout.attribute(attribute.slot), !description.isDerived else {
            throw FetchError(
                .invalidRequest,
                "\(place) is derived and cannot be set. Set the properties that it is derived from.")
        }
        guard description.rules == nil else {
            throw FetchError(
                .invalidRequest,
                "\(place) cannot be written in parts, because its validation rules need the whole value. "
                    + "Set \(place) in a context, and save.")
        }
        let effects = BatchEffects(updating: [attribute.slot], of: layout, in: context.store.layouts)
        guard effects.isEmpty else {
            throw FetchError(
                .invalidRequest,
                "\(place) cannot be written in parts, because attributes of other objects are derived from it. Set \(place) in a context, and save."
            )
        }
        if let version {
            guard let number = version.row else {
                throw FetchError(
                    .invalidRequest,
                    "The version belongs to a JSON document of graphDocument, not to an object. Pass the "
                        + "version property of the \(layout.name).")
            }
            expected = number
        } else {
            expected = nil
        }
    }

    /// Stores the parts, and returns the new version.
    func run(_ next: () throws -> Data?) throws -> ObjectVersion {
        let failure = BatchFailure(context.store.layouts)
        context.unit?.noteWriting()
        return try context.inTransaction(for: .data) { transaction, _ in
            do {
                try check(transaction)
                let made = try transaction.query(
                    "SELECT pg_catalog.lo_from_bytea(0::pg_catalog.oid, ''::pg_catalog.bytea)"
                        + "::pg_catalog.int8", Parameters())
                let number = made.map { $0[0].int64 }[0]
                try send(to: number, transaction, next)
                let results = try transaction.run([try update(from: number), unlink(number)])
                guard let version = results[0].map({ $0[0].int64 }).first else {
                    // Another session changed or deleted the row while the parts were sent, or the server left
                    // it out.
                    try check(transaction)
                    throw Conflicts.unwritten(attribute.layout.name)
                }
                if context.store.history != nil { note(in: &transaction.stored) }
                return ObjectVersion(row: version)
            } catch let error as PostgresError {
                throw failure.error(error, updating: attribute.layout, computed: [attribute.name])
            }
        }
    }

    private func note(in stored: inout StoredChanges) {
        let layout = attribute.layout
        stored.add(
            .init(
                kind: .update, entity: layout.index, isExact: true,
                slots: layout.changedSlots([attribute.slot])),
            of: .init(root: layout.root, key: attribute.key))
    }

    /// Compares the version before the parts are sent. The UPDATE compares it again.
    private func check(_ transaction: SaveTransaction) throws {
        let table = attribute.layout.table
        var parameters = Parameters()
        parameters.append(attribute.key)
        let found = try transaction.query(
            "SELECT \(try table.writtenVersion())::pg_catalog.int8\(attribute.selectedEntity) FROM \(table) "
                + "WHERE \(table.key.name) = $1", parameters, about: .init(.select, table.subject))
        let rows = try found.map { row in
            if !attribute.selectedEntity.isEmpty { try attribute.check(row[1].string()) }
            return row[0].int64
        }
        guard let version = rows.first else { throw missing }
        if let expected, version != expected { throw conflict(with: version) }
    }

    private func send(
        to number: Int64, _ transaction: SaveTransaction, _ next: () throws -> Data?
    ) throws {
        var count = 0
        while let part = try next() {
            for start in stride(from: part.startIndex, to: part.endIndex, by: Self.chunk) {
                let bytes = part[start..<min(start + Self.chunk, part.endIndex)]
                guard count + bytes.count <= Self.maximumCount else {
                    throw SaveError.validation([
                        ValidationIssue(
                            nil, attribute.layout.name, attribute.name, 1660,
                            "is longer than \(Self.maximumCount) bytes, which PostgreSQL does not store in a "
                                + "row. Divide it into several objects.")
                    ])
                }
                var parameters = Parameters()
                parameters.append(number)
                parameters.append(Int64(count))
                parameters.append(.bytea) { $0.data(bytes) }
                _ = try transaction.query(
                    "SELECT pg_catalog.lo_put($1::pg_catalog.oid, $2, $3)", parameters)
                count += bytes.count
            }
        }
    }

    private func update(from number: Int64) throws -> SaveStatement {
        let layout = attribute.layout
        let (key, version) = (layout.table.key.name, try layout.table.writtenVersion())
        var parameters = Parameters()
        parameters.append(number)
        parameters.append(attribute.key)
        if let expected { parameters.append(expected) } else { parameters.appendNull(.int8) }
        var settings = ["\(attribute.column.name) = pg_catalog.lo_get($1::pg_catalog.oid)"]
        let now = Date()
        for slot in layout.derived?.moments ?? [] {
            let column = layout.columns[layout.slots[slot].columns.lowerBound]
            let moment: Value =
                layout.attribute(slot)?.type == .double
                ? .double(now._howdahRoundedToMicroseconds.timeIntervalSinceReferenceDate)
                : Value.date(now).normalized
            try parameters.append(column.sent) { try $0.write(moment, as: column.type) }
            settings.append("\(column.name) = $\(parameters.count)")
        }
        return SaveStatement(
            "UPDATE \(layout.table) SET \(settings.joined(separator: ", ")), \(version) = \(version) + 1 "
                + "WHERE \(key) = $2 AND ($3 IS NULL OR \(version) = $3) RETURNING \(version)::pg_catalog.int8",
            parameters, about: .init(.update, layout.table.subject))
    }

    private func unlink(_ number: Int64) -> SaveStatement {
        var parameters = Parameters()
        parameters.append(number)
        return SaveStatement(
            "SELECT pg_catalog.lo_unlink($1::pg_catalog.oid)", parameters, about: .init(.select))
    }

    /// The error for a row that does not exist.
    private var missing: any Error { expected == nil ? attribute.notFound : conflict(isDeleted: true) }

    /// Returns the error for a row with another version, if that is known.
    private func conflict(with version: Int64?) -> SaveError {
        conflict(version: version.map { ObjectVersion(row: $0) }, isDeleted: false)
    }

    private func conflict(version: ObjectVersion? = nil, isDeleted: Bool) -> SaveError {
        let layout = attribute.layout
        let id = ObjectID<ManagedObject>(
            storeIdentifier: layout.storeIdentifier, entityName: layout.storedName, key: attribute.key)
        var conflict = SaveConflict(
            objectID: id, entityName: layout.name, properties: isDeleted ? [] : [attribute.name],
            changedProperties: [attribute.name], values: [:], version: version, isDeleted: isDeleted,
            isDeletedHere: false)
        conflict.isOfNamedVersion = true
        return Conflicts.error([conflict])
    }
}
