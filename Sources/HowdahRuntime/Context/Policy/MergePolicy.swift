/// The rule by which a save resolves conflicts with the store.
///
/// A conflict is an object that was changed here and, since it was read, also in the store. Unique values
/// that the store has already are a conflict too. Set the policy on a context: `context.mergePolicy =
/// .mergeByPropertyObjectTrump`. If a save meets a conflict, it undoes its writes, resolves the conflict in
/// memory by the policy, and retries, up to ten times.
///
/// For each property of an object in conflict, the save stores:
///
/// - ``error``: nothing. The save fails, for all kinds of conflicts.
/// - ``mergeByPropertyStoreTrump``: their value if both sides changed it; otherwise the changed one.
/// - ``mergeByPropertyObjectTrump``: our value if both sides changed it; otherwise the changed one.
/// - ``overwrite``: our value; the value that was read here if only the other side changed it.
/// - ``rollback``: their value in all cases.
///
/// If the row was deleted there, the object stays deleted with ``mergeByPropertyStoreTrump`` and
/// ``rollback``. With ``mergeByPropertyObjectTrump`` and ``overwrite`` it is stored again under its id. If
/// the object was deleted here and changed there, it stays with ``mergeByPropertyStoreTrump`` and
/// ``rollback``. With ``mergeByPropertyObjectTrump`` and ``overwrite`` it is deleted.
///
/// Members of unordered to-manys belong to the other side's rows and are merged as these are. The order of an
/// ordered one is one value of its owner. A composite is one property, and so is a JSON attribute: if both
/// sides changed different elements of it, one side's value is taken whole. If the class does not know
/// members of JSON, these are lost with the value that is not taken.
///
/// If a new object has unique values that a stored row has, it becomes that row. The row's id is kept, and
/// references to the new object follow. With ``mergeByPropertyObjectTrump`` the properties that were set here
/// are stored, with ``overwrite`` all of them. With ``mergeByPropertyStoreTrump`` only those without a value
/// in the row are stored, with ``rollback`` none.
///
/// If a stored object is given another one's unique values, it gets its own back with
/// ``mergeByPropertyStoreTrump`` and ``rollback``, and the save fails otherwise. The save also fails for an
/// object that has the values of two rows.
///
/// If a to-one was set to an object whose row is deleted, ``mergeByPropertyStoreTrump`` restores the store's
/// destination. ``rollback`` also restores all other values of the object. With
/// ``mergeByPropertyObjectTrump`` and ``overwrite``, and in a new object, an optional to-one becomes nil; a
/// required one makes the save fail. A link of a many-to-many is left out.
///
/// A row that is to be stored again may exist by then, because another context stored it first. The policy
/// then decides again, with that row.
///
/// If the class cannot read a stored value that is to be taken, the save fails with a `FetchError`. One
/// example is a case that the enum lacks. Nothing is stored.
///
/// To decide yourself, subclass it: override ``resolve(optimisticLockingConflicts:)``, call `super` first,
/// then change the objects. A policy belongs to the context that it is set on.
///
/// Source: Core Data's `NSMergePolicy`.
open class MergePolicy {
    /// The five types of resolution.
    ///
    /// Source: Core Data's `NSMergePolicyType`.
    public enum MergeType: Int, Sendable, CaseIterable {
        /// The save fails and reports the conflicts.
        case error
        /// Merges by property. If both sides changed one, the store's value stays.
        case mergeByPropertyStoreTrump
        /// Merges by property. If both sides changed one, the value here is stored.
        case mergeByPropertyObjectTrump
        /// Stores the objects as they are here.
        case overwrite
        /// Replaces the objects' values by those of the store.
        case rollback
    }

    /// The type of resolution that the policy begins with.
    public let mergeType: MergeType

    /// Creates a policy with one of the five types of resolution.
    public init(merge type: MergeType) { mergeType = type }

    /// A policy with which conflicts make the save fail; the default of a context.
    public static var error: MergePolicy { MergePolicy(merge: .error) }
    /// A policy that merges by property; if both sides changed one, the store's value stays.
    public static var mergeByPropertyStoreTrump: MergePolicy {
        MergePolicy(merge: .mergeByPropertyStoreTrump)
    }
    /// A policy that merges by property; if both sides changed one, the context's value is stored.
    public static var mergeByPropertyObjectTrump: MergePolicy {
        MergePolicy(merge: .mergeByPropertyObjectTrump)
    }
    /// A policy that stores the context's values.
    public static var overwrite: MergePolicy { MergePolicy(merge: .overwrite) }
    /// A policy that keeps the store's values.
    public static var rollback: MergePolicy { MergePolicy(merge: .rollback) }

    /// Changes the objects so that the next attempt of the save can store them; called outside of any
    /// transaction of the save.
    ///
    /// Source: Core Data's `resolve(optimisticLockingConflicts:)`.
    ///
    /// - Throws: Any error that must make the save fail; `FetchError` if the class cannot read a stored value
    ///   that is to be taken. With ``error`` it throws nothing, because the save fails before.
    open func resolve(optimisticLockingConflicts conflicts: [MergeConflict]) throws {
        for conflict in conflicts { try conflict.resolve(by: mergeType) }
    }

    /// Changes new objects with unique values of a stored row so that the next attempt of the save can store
    /// them.
    ///
    /// It is called as ``resolve(optimisticLockingConflicts:)`` is.
    ///
    /// Source: Core Data's `resolve(constraintConflicts:)`.
    ///
    /// - Throws: `SaveError.uniqueness` if the type of resolution cannot resolve a conflict; `FetchError` if
    ///   the class cannot read a stored value that is to be taken.
    open func resolve(constraintConflicts conflicts: [ConstraintConflict]) throws {
        let stuck = try conflicts.filter { try !$0.resolve(by: mergeType) }
        guard stuck.isEmpty else {
            throw SaveError(
                .uniqueness,
                "Another object has the same value, and a merge policy cannot merge two saved objects. "
                    + "Change one of the two values.",
                issues: stuck.map { conflict in
                    ValidationIssue(
                        conflict.conflictingObject.objectID, conflict.conflictingObject.layout.name,
                        conflict.constraint, ValidationIssue.uniqueness,
                        ValidationIssue.unique(
                            conflict.constraint,
                            "that another object has already. Give one of the two another value."))
                })
        }
    }

    /// A Boolean value that indicates whether saves continue after a conflict.
    var resolves: Bool { mergeType != .error || type(of: self) != MergePolicy.self }
}
