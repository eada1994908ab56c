/// What a save does about objects that were changed here and, since they were read, also in the store, and about
/// unique values that the store has already.
///
/// Set it on a context: `context.mergePolicy = .mergeByPropertyObjectTrump`. A save that meets a conflict undoes what
/// it wrote, has the policy resolve it in memory, and tries again, up to ten times.
///
/// | | changed on both sides | changed here only | changed there only | row deleted there | deleted here, changed there |
/// |---|---|---|---|---|---|
/// | ``error`` | fails | fails | fails | fails | fails |
/// | ``mergeByPropertyStoreTrump`` | theirs | ours | theirs | stays deleted | stays |
/// | ``mergeByPropertyObjectTrump`` | ours | ours | theirs | stored again under its id | deleted |
/// | ``overwrite`` | ours | ours | what was read here | stored again under its id | deleted |
/// | ``rollback`` | theirs | theirs | theirs | stays deleted | stays |
///
/// The columns speak of properties of an object in conflict. Members of unordered to-manys belong to the other side's
/// rows and are merged as these are; the order of an ordered one is one value of its owner. A composite is one property,
/// and so is a JSON attribute: if both sides changed different elements of it, one side's value is taken whole. Members of
/// JSON that the class does not know are lost with the value that is not taken.
///
/// A new object with unique values that a stored row has becomes that row: its id survives, and references to the new
/// object follow. With ``mergeByPropertyObjectTrump`` the properties that were set here are stored, with ``overwrite``
/// all of them; with ``mergeByPropertyStoreTrump`` those that the row has no value for, with ``rollback`` none. A stored
/// object that is given another one's values gets its own back with ``mergeByPropertyStoreTrump`` and ``rollback``, and
/// fails otherwise; so does an object that has the values of two rows.
///
/// A to-one that was set to an object whose row is gone meanwhile goes back to what the store has with
/// ``mergeByPropertyStoreTrump`` and ``rollback``, the latter with all other changes of its object. With
/// ``mergeByPropertyObjectTrump`` and ``overwrite``, and in a new object, it becomes nil where it is optional; a required
/// one makes the save fail. A link of a many-to-many is left out.
///
/// A row that is to be stored again may exist when the save comes to it, because another context stored it again first:
/// the policy is asked anew, with that row. A stored value that is to be taken over and that the class cannot read, such
/// as a case that the enum lacks, makes the save fail with the `FetchError` that a fetch throws; nothing is stored.
///
/// Subclass it to decide by yourself: override ``resolve(optimisticLockingConflicts:)``, call `super` first, then
/// change the objects. A policy belongs to the context it is set on.
///
/// Source: Core Data's `NSMergePolicy`.
open class MergePolicy {
    /// The five ways of resolving.
    ///
    /// Source: Core Data's `NSMergePolicyType`.
    public enum MergeType: Int, Sendable, CaseIterable {
        /// The save fails and tells the conflicts.
        case error
        /// By property; where both sides changed one, the store's value stays.
        case mergeByPropertyStoreTrump
        /// By property; where both sides changed one, the value here is stored.
        case mergeByPropertyObjectTrump
        /// The objects are stored as they are here.
        case overwrite
        /// The objects become what the store holds.
        case rollback
    }

    /// The way of resolving that the policy begins with.
    public let mergeType: MergeType

    /// Makes a policy that resolves in one of the five ways.
    public init(merge type: MergeType) { mergeType = type }

    /// Conflicts make the save fail; what a context has at first.
    public static var error: MergePolicy { MergePolicy(merge: .error) }
    /// Merges by property; in doubt the store is right.
    public static var mergeByPropertyStoreTrump: MergePolicy {
        MergePolicy(merge: .mergeByPropertyStoreTrump)
    }
    /// Merges by property; in doubt the context is right.
    public static var mergeByPropertyObjectTrump: MergePolicy {
        MergePolicy(merge: .mergeByPropertyObjectTrump)
    }
    /// The context is right.
    public static var overwrite: MergePolicy { MergePolicy(merge: .overwrite) }
    /// The store is right.
    public static var rollback: MergePolicy { MergePolicy(merge: .rollback) }

    /// Makes the objects such that the next attempt of the save can store them; called outside of any transaction of
    /// the save's own.
    ///
    /// Source: Core Data's `resolve(optimisticLockingConflicts:)`.
    ///
    /// - Throws: whatever shall make the save fail; `FetchError` for a stored value that is to be taken and that the class
    ///   cannot read. ``error`` throws nothing here, because its saves fail before.
    open func resolve(optimisticLockingConflicts conflicts: [MergeConflict]) throws {
        for conflict in conflicts { try conflict.resolve(by: mergeType) }
    }

    /// Makes the objects such that the next attempt of the save can store them: as ``resolve(optimisticLockingConflicts:)``,
    /// for new objects with unique values that a stored row has.
    ///
    /// Source: Core Data's `resolve(constraintConflicts:)`.
    ///
    /// - Throws: `SaveError.uniqueness` where the way of resolving has no answer; `FetchError` for a stored value that is to
    ///   be taken and that the class cannot read.
    open func resolve(constraintConflicts conflicts: [ConstraintConflict]) throws {
        let stuck = try conflicts.filter { try !$0.resolve(by: mergeType) }
        guard stuck.isEmpty else {
            throw SaveError(
                .uniqueness,
                "Another object has the same value, and two stored objects never become one; change one of them.",
                issues: stuck.map { conflict in
                    ValidationIssue(
                        conflict.conflictingObject.objectID, conflict.entityName, conflict.constraint,
                        ValidationIssue.uniqueness,
                        ValidationIssue.unique(conflict.constraint, "that another object has already"))
                })
        }
    }

    /// Whether saves go on after a conflict at all.
    var resolves: Bool { mergeType != .error || type(of: self) != MergePolicy.self }
}
