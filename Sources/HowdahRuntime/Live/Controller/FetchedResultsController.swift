public import HowdahModel

/// A result that follows the changes of one context, for a view that shows its objects.
///
/// ```swift
/// let controller = FetchedResultsController(request, in: container.viewContext, sectionNameKeyPath: "lastName")
/// controller.delegate = self
/// try controller.performFetch()
/// ```
/// The controller hears changes when an event of the context ends: at `processPendingChanges()`, at a fetch and at a
/// save. It also hears merges. If the context has ``ManagedObjectContext/automaticallyMergesChangesFromParent``, it
/// follows the saves of the container's other contexts, and with a history those of other processes.
///
/// Use it where you use its context. It retains the context, and its delegate is weak.
///
/// Source: Core Data's `NSFetchedResultsController`.
public final class FetchedResultsController<Object: ManagedObject> {
    /// The request.
    public let fetchRequest: FetchRequest<Object>
    /// The context whose changes the controller follows.
    public let managedObjectContext: ManagedObjectContext
    /// The key path of the property that names the sections; nil for one section.
    ///
    /// The first sort key must keep the objects of one section together. A transient property is possible.
    public let sectionNameKeyPath: String?
    /// The object that is called when the result changes.
    public weak var delegate: (any FetchedResultsControllerDelegate<Object>)?

    /// The fetched objects in their order; nil before ``performFetch()``, and after `reset()` of the context.
    public var fetchedObjects: [Object]? { state?.list.rows.map(\.object) }

    /// The sections; nil before ``performFetch()``.
    ///
    /// Without a ``sectionNameKeyPath`` there is one section, which may be empty.
    public var sections: [FetchedResultsSectionInfo<Object>]? { state?.list.infos() }

    var state: ControllerState<Object>?
    private var observer: ControllerObserver<Object>?

    /// Creates a controller. It has no objects before ``performFetch()``.
    ///
    /// - Parameters:
    ///   - request: The request. Sort it by a key that decides; otherwise the ids decide.
    ///   - context: The context, usually the container's ``PersistentContainer/viewContext``.
    ///   - sectionNameKeyPath: The key path of the property that names the sections; nil for one section.
    public init(
        _ request: FetchRequest<Object>, in context: ManagedObjectContext, sectionNameKeyPath: String? = nil
    ) {
        fetchRequest = request
        managedObjectContext = context
        self.sectionNameKeyPath = sectionNameKeyPath
    }

    /// Fetches the objects, and begins to follow the changes of the context.
    ///
    /// The delegate is not called.
    ///
    /// - Throws: The errors of ``ManagedObjectContext/fetch(_:)-(FetchRequest<Object>)``; `FetchError.invalidRequest` for
    ///   a request that cannot be followed, and for a key path that does not name sections. Also if the first sort key
    ///   does not keep the objects of a section together.
    public func performFetch() throws {
        let context = managedObjectContext
        let layout = try context.layout(for: fetchRequest)
        let layouts = context.store.layouts
        let request = try ResultRequest(fetchRequest, of: layout, in: layouts, sectionedBy: nil)
        // Another first key may have the same order, as a year has that of a date.
        if let sectionNameKeyPath { try ResultRequest.check(sectionNameKeyPath, of: layout, in: layouts) }
        state = try ControllerState(request, fetchRequest, sectionNameKeyPath, in: context)
        guard observer == nil else { return }
        let observer = ControllerObserver(self)
        context.addObserver(observer)
        self.observer = observer
    }

    /// Returns the object at a place; the place must exist.
    public func object(at indexPath: ResultIndexPath) -> Object {
        let sections = state?.list.sections ?? []
        return sections[indexPath.section].rows[indexPath.row].object
    }

    /// Returns the place of an object; nil if it is not in the result.
    public func indexPath(forObject object: Object) -> ResultIndexPath? {
        for (place, section) in (state?.list.sections ?? []).enumerated() {
            if let row = section.rows.firstIndex(where: { $0.object === object }) {
                return ResultIndexPath(section: place, row: row)
            }
        }
        return nil
    }

    // MARK: Following

    func hear(_ notice: ContextNotice) {
        guard var present = state else { return }
        if case .didReset = notice {
            state = nil
            return
        }
        guard let change = notice.change else { return }
        do {
            let former = present.list
            guard let changed = try present.update(change, in: managedObjectContext) else { return }
            let difference = ResultDifference(from: former, to: present.list, changed: changed)
            if difference.isEmpty {
                state = present
            } else {
                report(difference, from: former, to: present)
            }
        } catch {
            state?.mustFetch = true
            managedObjectContext.noteFailure(error)
        }
    }

    /// Fetches and reports the differences, because objects may have come that the context does not have.
    func fetchAgain() {
        guard state != nil else { return }
        state?.mustFetch = true
        hear(.didMerge(ContextChange()))
    }

    private func report(
        _ difference: ResultDifference<ResultObject<Object>>, from former: ResultList<ResultObject<Object>>,
        to present: ControllerState<Object>
    ) {
        delegate?.controllerWillChangeContent(self)
        state = present
        let (before, after) = (former.infos(), present.list.infos())
        for change in difference.sections {
            switch change {
            case .delete(_, let place):
                delegate?.controller(
                    self, didChange: before[place], atSectionIndex: place, for: .delete)
            case .insert(_, let place):
                delegate?.controller(self, didChange: after[place], atSectionIndex: place, for: .insert)
            }
        }
        for change in difference.rows {
            let type: FetchedResultsChangeType =
                switch change {
                case .delete: .delete
                case .insert: .insert
                case .move: .move
                case .update: .update
                }
            delegate?.controller(
                self, didChange: change.row.object, at: change.former, for: type,
                newIndexPath: change.present)
        }
        delegate?.controllerDidChangeContent(self)
    }
}

/// The connection of a context with a controller, which neither of them retains through it.
final class ControllerObserver<Object: ManagedObject>: ContextObserver {
    private weak var controller: FetchedResultsController<Object>?

    init(_ controller: FetchedResultsController<Object>) { self.controller = controller }

    func hear(_ notice: ContextNotice, in context: ManagedObjectContext) { controller?.hear(notice) }

    func hearOfEverything(in context: ManagedObjectContext) { controller?.fetchAgain() }
}
