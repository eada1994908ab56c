public import HowdahModel

extension ManagedObjectContext {
    /// What saves do about conflicts; ``MergePolicy/error`` at first.
    ///
    /// Source: Core Data's `mergePolicy`.
    public var mergePolicy: MergePolicy {
        get { settings.mergePolicy }
        set { changeSetting(\.mergePolicy, to: newValue) }
    }

    /// Values of your own, which hooks of objects can read: the author of a change, or whether an import is running.
    ///
    /// They are not stored, and last as long as the context: ``reset()`` and ``rollback()`` keep them. A child begins with
    /// an empty dictionary.
    ///
    /// Source: Core Data's `userInfo`.
    public var userInfo: [String: Any] {
        get { settings.userInfo }
        set { changeSetting(\.userInfo, to: newValue) }
    }

    /// Whether ``processPendingChanges()`` applies delete rules in memory, loading what they reach; false by default.
    ///
    /// Where false, the save applies them, in the database too, and loads nothing.
    ///
    /// Source: Core Data's `propagatesDeletesAtEndOfEvent`, which is true by default.
    public var propagatesDeletesAtEndOfEvent: Bool {
        get { settings.propagatesDeletesAtEndOfEvent }
        set { changeSetting(\.propagatesDeletesAtEndOfEvent, to: newValue) }
    }

    /// Whether the context keeps every object alive that it knows; false by default, and then only changed ones, and
    /// those that the program or another object holds.
    ///
    /// True makes a context that lives long grow with everything that was ever fetched; ``reset()`` lets go.
    ///
    /// Source: Core Data's `retainsRegisteredObjects`.
    public var retainsRegisteredObjects: Bool {
        get { settings.retainsRegisteredObjects }
        set {
            changeSetting(\.retainsRegisteredObjects, to: newValue)
            registry.retain(newValue)
        }
    }

    /// Whether what is saved here is undone at the end: true in the handlers of a migration that
    /// `howdah migrate rehearse` goes through, which then leave alone what is outside of the database.
    public package(set) var isRehearsal: Bool {
        get { settings.isRehearsal }
        set { changeSetting(\.isRehearsal, to: newValue) }
    }

    /// The ids that objects had been given before the last save, and that it replaced: the objects turned out to be
    /// rows that were there already, by their unique values.
    ///
    /// Only ids from ``obtainPermanentIDs(for:)`` are among them; see ``MergePolicy``.
    public var supersededObjectIDs: [ObjectID<ManagedObject>: ObjectID<ManagedObject>] { changes.superseded }
}
