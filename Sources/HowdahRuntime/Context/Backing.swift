import HowdahModel
import PQClient

/// The source that a context reads from and saves to: the database, or a parent context.
///
/// Each call is made once for a request, a cohort or a save; only ``holds(_:of:_:in:)`` is called for one
/// object. If the two differ otherwise, a property states it: no code tests for the kind of a backing.
/// `PartTests` checks that.
protocol Backing: AnyObject {
    // MARK: Facts

    /// The context to which saves go; nil for the database.
    var parent: ManagedObjectContext? { get }
    /// False if objects of the backing may still have temporary keys, as new objects of a parent do.
    var keysAreFinal: Bool { get }
    /// A Boolean value that indicates whether delete rules are applied in memory at the end of each event.
    ///
    /// They are in a child, because a push names all deleted objects.
    var propagatesDeletionsAtOnce: Bool { get }
    /// The reason for a missing connection; nil if there is one.
    var refusal: FetchError? { get }
    /// The notices of saves, which the context sends and receives.
    var notices: StoreNotices { get }
    /// The message for an object that the backing does not have, as the end of "The Note with this id".
    var absence: String { get }

    // MARK: Requests

    /// Returns the objects of a request as the backing has them, registered in the context and in order.
    ///
    /// Unsaved changes of the context itself are ignored.
    func fetch<Object: ManagedObject>(
        _ request: FetchRequest<Object>, of layout: EntityLayout, in context: ManagedObjectContext
    ) throws -> [ManagedObject]

    /// Returns the number of those objects.
    func count<Object: ManagedObject>(
        _ request: FetchRequest<Object>, of layout: EntityLayout, in context: ManagedObjectContext
    ) throws -> Int

    /// Returns a page of those objects, and the text of the cursor of the next one.
    func page<Object: ManagedObject>(
        _ request: FetchRequest<Object>, after cursor: String?, of layout: EntityLayout,
        in context: ManagedObjectContext
    ) throws -> (objects: [ManagedObject], next: String?)

    // MARK: Cohorts

    /// Fills faults; those that the backing does not have stay faults.
    ///
    /// - Parameter comment: The text after each statement.
    func fill(_ faults: [ManagedObject], comment: String, in context: ManagedObjectContext) throws

    /// Returns the members of a to-many relationship, or the other side of a one-to-one, in the order of the
    /// owners.
    ///
    /// The numbers of ordered members are kept in the owners' states.
    func members(
        of owners: [ManagedObject], _ relationship: RelationshipLayout, comment: String,
        in context: ManagedObjectContext
    ) throws -> [[ManagedObject]]

    /// Makes an unchanged object read its row again; in a child, by the parents too.
    func readAgain(_ object: ManagedObject, in context: ManagedObjectContext)

    /// Assigns owners the number of their members.
    func countMembers(
        of owners: [ManagedObject], _ relationship: RelationshipLayout, in context: ManagedObjectContext
    ) throws

    /// Returns a Boolean value that indicates whether an object is a member, without loading the others.
    func holds(
        _ member: ManagedObject, of owner: ManagedObject, _ relationship: RelationshipLayout,
        in context: ManagedObjectContext
    ) throws -> Bool

    // MARK: Saves

    /// Stores the changes of a context.
    func save(_ context: ManagedObjectContext) throws

    /// Returns a permanent key for each of `new`. Objects of `all` that are unsaved in the parent get theirs
    /// first.
    func permanentKeys(
        for new: [ManagedObject], among all: [ManagedObject], in context: ManagedObjectContext
    ) throws -> [Int64]

    // MARK: Units of work

    /// Runs the body as a part of a unit of work, or as all of it.
    func run<T>(_ unit: UnitOfWork, of context: ManagedObjectContext, _ body: () throws -> T) throws -> T
}
