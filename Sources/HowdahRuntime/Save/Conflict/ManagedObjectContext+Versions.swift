public import HowdahModel

extension ManagedObjectContext {
    /// Returns the object of an id, and makes the next save fail if its row has another version than the given one.
    ///
    /// Use it for a request with `If-Match`. If another session has changed the object since the client read that
    /// version, a save with changes throws a conflict, with every ``mergePolicy``. The conflict names the properties
    /// that you changed, with the stored values. A save without changes succeeds, because nothing would be lost.
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
        let object = try existingObject(with: id)
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
        changes.expect(version, of: object)
        detectConflicts(for: object)
        return object
    }

    /// Compares the versions that the program named with those that the context has read; reads rows that it no longer has.
    ///
    /// - Throws: `SaveError` with `conflict` if there are changes and a version differs. The error of a row that cannot be
    ///   read.
    func checkExpectedVersions() throws {
        guard !changes.expected.isEmpty, hasChanges else { return }
        let present = changes.expected.filter { $0.object.owner === self }
        for (object, _) in present where object.isFault {
            object._willRead()
            try throwFailure()
        }
        let stale = present.filter { $0.version.row != $0.object.rowVersion }
        if !stale.isEmpty { throw Conflicts.error(stale.map { Conflicts.conflict($0.object, self) }) }
    }

    /// Makes the next save compare versions that the program named before, of the objects that are still here.
    func compareAgain(_ expected: [(object: ManagedObject, version: ObjectVersion)]) {
        for (object, version) in expected where object.owner === self {
            changes.expect(version, of: object)
            changes.guardVersion(of: object)
        }
    }
}
