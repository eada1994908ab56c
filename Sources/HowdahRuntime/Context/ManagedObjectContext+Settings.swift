public import HowdahModel

extension ManagedObjectContext {
    /// The policy that saves resolve conflicts with; ``MergePolicy/error`` by default.
    ///
    /// Source: Core Data's `mergePolicy`.
    public var mergePolicy: MergePolicy {
        get { settings.mergePolicy }
        set { changeSetting(\.mergePolicy, to: newValue) }
    }

    /// Your own values for hooks of objects, for example the author of a change, or a flag of a running
    /// import.
    ///
    /// They are not stored, and last as long as the context: ``reset()`` and ``rollback()`` keep them. A
    /// child begins with an empty dictionary.
    ///
    /// Source: Core Data's `userInfo`.
    public var userInfo: [String: Any] {
        get { settings.userInfo }
        set { changeSetting(\.userInfo, to: newValue) }
    }

    /// A Boolean value that indicates whether ``processPendingChanges()`` applies delete rules in memory;
    /// false by default.
    ///
    /// If it is true, the objects that the rules reach are loaded. If it is false, the save applies the
    /// rules, in the database too, and loads nothing.
    ///
    /// Source: Core Data's `propagatesDeletesAtEndOfEvent`, which is true by default.
    public var propagatesDeletesAtEndOfEvent: Bool {
        get { settings.propagatesDeletesAtEndOfEvent }
        set { changeSetting(\.propagatesDeletesAtEndOfEvent, to: newValue) }
    }

    /// A Boolean value that indicates whether the context retains every object that it knows; false by
    /// default.
    ///
    /// If it is false, the context retains only changed objects; others live as long as your code or another
    /// object holds them. If it is true, a context that lives long grows with every fetched object.
    /// ``reset()`` releases them.
    ///
    /// Source: Core Data's `retainsRegisteredObjects`.
    public var retainsRegisteredObjects: Bool {
        get { settings.retainsRegisteredObjects }
        set {
            changeSetting(\.retainsRegisteredObjects, to: newValue)
            registry.retain(newValue)
        }
    }

    /// The name of the context in the history of the store, nil by default.
    ///
    /// In a child it has no effect: the root context saves to the store.
    ///
    /// Source: Core Data's `name`.
    public var name: String? {
        get { settings.name }
        set { changeSetting(\.name, to: newValue) }
    }

    /// The author of the transactions of this context in the history of the store; nil, the default, for
    /// `PersistentContainer.transactionAuthor`.
    ///
    /// In a transaction of `perform(isolation:)`, the author at the last save counts. In a child it has no effect.
    /// U+0000 is recorded as the replacement character U+FFFD, since PostgreSQL cannot store it.
    ///
    /// Source: Core Data's `transactionAuthor`.
    public var transactionAuthor: String? {
        get { settings.transactionAuthor }
        set { changeSetting(\.transactionAuthor, to: newValue) }
    }

    /// A Boolean value that indicates whether the changes that you save here are rolled back at the end.
    ///
    /// It is true in the handlers of a migration that `howdah migrate rehearse` runs. If it is true, change
    /// nothing outside of the database.
    public package(set) var isRehearsal: Bool {
        get { settings.isRehearsal }
        set { changeSetting(\.isRehearsal, to: newValue) }
    }

    /// The ids that the last save replaced, with the new ones. The save found by unique values that the
    /// objects' rows already existed.
    ///
    /// Only ids from ``obtainPermanentIDs(for:)`` are included; see ``MergePolicy``.
    public var supersededObjectIDs: [ObjectID<ManagedObject>: ObjectID<ManagedObject>] { changes.superseded }
}
