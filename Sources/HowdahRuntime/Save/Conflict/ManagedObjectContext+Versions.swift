public import HowdahModel
import PQClient

extension ManagedObjectContext {
    /// Returns the object of an id, and makes the next save fail if its row has another version than the given one.
    ///
    /// Use it for a request with `If-Match`. If another session has changed the object since the client read that
    /// version, a save with changes throws a conflict, with every ``mergePolicy``. The conflict names the properties
    /// that you changed, with the stored values. A save without changes succeeds, because nothing would be lost.
    ///
    /// If the context has read another version before, and the object has no changes, the row is read again.
    ///
    /// ``rollback()`` and ``reset()`` drop the comparison.
    ///
    /// The row is also compared while it is locked, as ``detectConflicts(for:)`` does, so a session that changes it after
    /// this call makes a conflict too. At most one statement.
    ///
    /// - Throws: `FetchError` with `objectNotFound` if the row does not exist. `FetchError` with `invalidRequest`
    ///   for the version of a document, or a table without versions. The other errors of
    ///   ``existingObject(with:)``.
    public func existingObject<Object: ManagedObject>(
        with id: ObjectID<Object>, version: ObjectVersion
    ) throws -> Object {
        let known = registeredObject(for: id)
        let wasRead = known?.isFault == false
        var object = try existingObject(with: id)
        guard version.row != nil else {
            throw FetchError(
                .invalidRequest,
                "The version passed to existingObject(with:version:) belongs to a JSON document of "
                    + "graphDocument, not to an object. Pass the version property of the object.")
        }
        guard object.layout.table.version != nil else {
            throw FetchError(
                .invalidRequest,
                "The table of \(object.layout.name) has no version column, which "
                    + "existingObject(with:version:) compares. Call existingObject(with:), and compare the "
                    + "properties instead."
            )
        }
        if wasRead, object.rowVersion != version.row, !object.hasChanges {
            // The client may have read the row later than this context.
            backing.readAgain(object, in: self)
            object = try existingObject(with: id)
        }
        changes.expect(version, of: object, isStale: version.row != object.rowVersion)
        detectConflicts(for: object)
        return object
    }

    /// Compares the versions that the program named with those that the context has read; reads rows that it no
    /// longer has.
    ///
    /// A save calls this before its hooks, and again once they have run.
    ///
    /// - Throws: `SaveError` with `conflict` if there are changes and a version differs. The error of a row that cannot be
    ///   read.
    func checkExpectedVersions() throws {
        guard !changes.named.isEmpty, hasChanges else { return }
        let present = changes.named.entries.values.filter { $0.object.owner === self }
        for named in present where named.object.isFault {
            named.object._willRead()
            try throwFailure()
        }
        let stale = present.filter { $0.version.row != $0.object.rowVersion }
        if !stale.isEmpty { throw Conflicts.error(try conflicts(of: stale)) }
    }

    /// Compares objects that have other versions than the program named with their rows.
    private func conflicts(of stale: [NamedVersions.Entry]) throws -> [SaveConflict] {
        // A child compares with the parent's objects.
        if backing.refusal != nil { return stale.map { Conflicts.conflict(ofNamed: $0.object, nil, self) } }
        var conflicts: [SaveConflict] = []
        for (entity, members) in Dictionary(grouping: stale, by: { $0.object.layout.index }) {
            let rows: [Int64: StoredRow]
            do {
                rows = try withConnection { connection in
                    try StoredRow.read(
                        members.map(\.object.key), of: layouts[entity], in: self
                    ) {
                        try connection.query($0, $1, about: $2)
                    }
                }
            } catch {
                throw store.readError(error)
            }
            for named in members {
                let stored = rows[named.object.key]
                // The version may be that of the row, which this context has not read again.
                let isOfRow = stored == nil || stored?.version == named.version.row
                conflicts.append(
                    isOfRow
                        ? Conflicts.conflict(named.object, stored, self)
                        : Conflicts.conflict(ofNamed: named.object, stored, self))
            }
        }
        return conflicts
    }

    /// Divides the versions that the program named into those that a save has compared, and those that hooks and
    /// `transformed()` named too late for that.
    func comparedVersions(
        _ receipt: SaveReceipt
    ) -> (compared: [NamedVersions.Entry], others: [NamedVersions.Entry]) {
        if changes.named.isEmpty { return ([], []) }
        let settled = receipt.settled
        let locked = Set(
            (settled.updated.map(\.object) + receipt.changes.guarded).map(ObjectIdentifier.init))
        var entries = Array(changes.named.entries.values)
        let middle = entries.partition { named in
            let object = named.object
            return named.version.row != object.rowVersion
                || !locked.contains(ObjectIdentifier(object))
                    && settled.deletedRows[object.layout.root]?[object.key] == nil
        }
        return (Array(entries[..<middle]), Array(entries[middle...]))
    }

    /// Returns the compared versions that the next save must compare, if a transaction is rolled back.
    ///
    /// A version that was named later counts instead if it was stale. Else it is one of the transaction, which no
    /// row has any more.
    func versionsAfterRollback(_ compared: [NamedVersions.Entry]) -> [NamedVersions.Entry] {
        compared.filter { changes.named[$0.object]?.isStale != true }
            .map { NamedVersions.Entry(object: $0.object, version: $0.version) }
    }

    /// Makes the next save compare versions that the program named before, of the objects that are still here.
    func compareAgain(_ expected: [NamedVersions.Entry]) {
        for named in expected where named.object.owner === self {
            changes.expect(named.version, of: named.object, isStale: named.isStale)
            changes.guardVersion(of: named.object)
        }
    }
}
