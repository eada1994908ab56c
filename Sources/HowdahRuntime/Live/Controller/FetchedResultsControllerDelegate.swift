/// The calls of a ``FetchedResultsController`` when its result changes; each does nothing by default.
///
/// The calls for one event are: `controllerWillChangeContent`, the sections, the objects, and
/// `controllerDidChangeContent`. Former places are those before the first call, and new places those after the last one.
///
/// Source: Core Data's `NSFetchedResultsControllerDelegate`.
public protocol FetchedResultsControllerDelegate<Object>: AnyObject {
    /// The class of the objects.
    associatedtype Object: ManagedObject

    /// Reports that changes follow. The controller still has the former objects.
    func controllerWillChangeContent(_ controller: FetchedResultsController<Object>)

    /// Reports that a section was inserted or deleted.
    func controller(
        _ controller: FetchedResultsController<Object>, didChange section: FetchedResultsSectionInfo<Object>,
        atSectionIndex index: Int, for type: FetchedResultsChangeType)

    /// Reports that an object was inserted, deleted, moved or changed.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - object: The object.
    ///   - indexPath: The former place; nil for an insertion.
    ///   - type: The kind of the change.
    ///   - newIndexPath: The new place; nil for a deletion.
    func controller(
        _ controller: FetchedResultsController<Object>, didChange object: Object,
        at indexPath: ResultIndexPath?,
        for type: FetchedResultsChangeType, newIndexPath: ResultIndexPath?)

    /// Reports that all changes were reported.
    func controllerDidChangeContent(_ controller: FetchedResultsController<Object>)
}

extension FetchedResultsControllerDelegate {
    /// Does nothing.
    public func controllerWillChangeContent(_ controller: FetchedResultsController<Object>) {}

    /// Does nothing.
    public func controller(
        _ controller: FetchedResultsController<Object>, didChange section: FetchedResultsSectionInfo<Object>,
        atSectionIndex index: Int, for type: FetchedResultsChangeType
    ) {}

    /// Does nothing.
    public func controller(
        _ controller: FetchedResultsController<Object>, didChange object: Object,
        at indexPath: ResultIndexPath?,
        for type: FetchedResultsChangeType, newIndexPath: ResultIndexPath?
    ) {}

    /// Does nothing.
    public func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {}
}

/// The kind of a change in the result of a ``FetchedResultsController``.
///
/// Source: Core Data's `NSFetchedResultsChangeType`, with its raw values.
public enum FetchedResultsChangeType: UInt, Sendable {
    /// The object or section is new.
    case insert = 1
    /// The object or section left.
    case delete = 2
    /// The object has another place.
    case move = 3
    /// The object has other values.
    case update = 4
}

/// A section of the result of a ``FetchedResultsController``.
///
/// Source: Core Data's `NSFetchedResultsSectionInfo`.
public struct FetchedResultsSectionInfo<Object: ManagedObject> {
    /// The value of the section's key path as text; empty without sections.
    public let name: String
    /// The objects, in their order.
    public let objects: [Object]
    /// The number of the objects.
    public var numberOfObjects: Int { objects.count }
}
