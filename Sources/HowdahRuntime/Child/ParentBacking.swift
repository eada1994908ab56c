import HowdahModel
import PQClient

/// A parent context as a backing: it answers as a store would, with its own unsaved changes in the results.
final class ParentBacking: Backing {
    private let above: ManagedObjectContext

    init(_ parent: ManagedObjectContext) { above = parent }

    var parent: ManagedObjectContext? { above }
    var keysAreFinal: Bool { false }
    var propagatesDeletionsAtOnce: Bool { true }
    var notices: StoreNotices { above.noticesBelow }
    var absence: String {
        "is not in the parent context, because it was deleted there or in the store. "
            + "Discard the id."
    }

    /// The refusal of a connection: a child can ask its parent only for objects.
    var refusal: FetchError? {
        FetchError(
            .invalidRequest,
            "A child context has no connection. Save the child context, and call the method in the context that "
                + "saves to the database."
        )
    }

    // MARK: Requests

    func fetch<Object: ManagedObject>(
        _ request: FetchRequest<Object>, of layout: EntityLayout, in context: ManagedObjectContext
    ) throws -> [ManagedObject] {
        guard request.rowLock == nil else {
            throw FetchError(
                .invalidRequest,
                "A child context cannot lock rows. Fetch with the lock in the context that saves to the database."
            )
        }
        _ = try context.filledSelection(for: request, of: layout)
        return context.standIns(
            for: try above.fetch(asked(request)), fills: request.includesPropertyValues,
            refills: request.shouldRefreshRefetchedObjects, isCohort: request.loadsCohorts)
    }

    func count<Object: ManagedObject>(
        _ request: FetchRequest<Object>, of layout: EntityLayout, in context: ManagedObjectContext
    ) throws -> Int {
        var asked = request
        asked.includesPendingChanges = true
        return try above.count(for: asked)
    }

    /// Returns the parent's page.
    func page<Object: ManagedObject>(
        _ request: FetchRequest<Object>, after cursor: String?, of layout: EntityLayout,
        in context: ManagedObjectContext
    ) throws -> (objects: [ManagedObject], next: String?) {
        var asked = request
        asked.relationshipKeyPathsForPrefetching = []
        asked.propertiesToFetch = []
        let page = try above.fetchPage(asked, after: cursor.map(PageCursor.init))
        let objects = context.standIns(
            for: page.objects, refills: request.shouldRefreshRefetchedObjects,
            isCohort: request.loadsCohorts)
        return (objects, page.next?.text)
    }

    /// Returns the request for the parent, which always includes its own unsaved changes.
    private func asked<Object: ManagedObject>(_ request: FetchRequest<Object>) -> FetchRequest<Object> {
        var request = request
        request.includesPendingChanges = true
        request.relationshipKeyPathsForPrefetching = []
        // A child takes what its parent has: whole objects.
        request.propertiesToFetch = []
        return request
    }

    // MARK: Cohorts

    func fill(_ faults: [ManagedObject], comment: String, in context: ManagedObjectContext) throws {
        try above.answering {
            let pairs = try above.loading(keeping: { pairs in pairs.map(\.1) }) {
                let pairs = faults.compactMap { object in above.counterpart(of: object).map { (object, $0) } }
                let waiting = pairs.map(\.1).filter(\.isFault)
                if !waiting.isEmpty { try above.load(waiting) }
                return pairs
            }
            context.fill(pairs.filter { $0.0.isFault && !$0.1.isFault && !$0.1.isDetached })
        }
    }

    func members(
        of owners: [ManagedObject], _ relationship: RelationshipLayout, comment: String,
        in context: ManagedObjectContext
    ) throws -> [[ManagedObject]] {
        let slot = relationship.slot
        let sources = owners.map(above.counterpart)
        let found = try above.answering {
            guard relationship.isToMany else { return try partners(of: sources, relationship) }
            try above.loadMembers(of: sources.compactMap(\.self), relationship)
            return sources.map { $0?.membersOf(slot).filter { !$0._flags.contains(.deleted) } ?? [] }
        }
        var rest = context.standIns(for: found.flatMap(\.self))[...]
        return zip(owners, found).map { owner, sources in
            let members = Array(rest.prefix(sources.count))
            rest = rest.dropFirst(sources.count)
            if relationship.isOrdered { owner.toManyState(slot).number(members) }
            return members
        }
    }

    /// Returns the other sides of one-to-ones, as lists of at most one.
    private func partners(
        of sources: [ManagedObject?], _ relationship: RelationshipLayout
    ) throws -> [[ManagedObject]] {
        let stored = sources.compactMap(\.self).filter { !$0._flags.contains(.inserted) }
        try above.load(stored.filter(\.isFault))
        try above.loadDestinations(of: stored, relationship)
        return sources.map { source in
            source?.destination(relationship.slot).flatMap { $0._flags.contains(.deleted) ? nil : [$0] } ?? []
        }
    }

    func readAgain(_ object: ManagedObject, in context: ManagedObjectContext) {
        if let source = above.registry.find(root: object.layout.root, key: object.key), !source.isFault,
            !source.hasChanges
        {
            above.backing.readAgain(source, in: above)
        }
        context.refresh(object)
    }

    /// Counts members. It loads none if no object is about to be deleted.
    func countMembers(
        of owners: [ManagedObject], _ relationship: RelationshipLayout, in context: ManagedObjectContext
    ) throws {
        let slot = relationship.slot
        try above.answering {
            let sources = owners.map(above.counterpart)
            let unknown = sources.compactMap(\.self).filter { source in
                let state = source.toManyState(slot)
                return !state.isLoaded && state.storedCount == nil
            }
            let mayHide = !above.deletedObjects.isEmpty || above.inserted.contains(where: \.isDeleted)
            if !mayHide, !unknown.isEmpty { try above.countMembers(of: unknown, relationship) }
            for (owner, source) in zip(owners, sources) {
                owner.toManyState(slot).storedCount =
                    mayHide
                    ? source?.membersOf(slot).count { !$0._flags.contains(.deleted) } ?? 0
                    : source?.countOfMembers(slot) ?? 0
            }
        }
    }

    func holds(
        _ member: ManagedObject, of owner: ManagedObject, _ relationship: RelationshipLayout,
        in context: ManagedObjectContext
    ) throws -> Bool {
        guard let owner = above.counterpart(of: owner), let member = above.counterpart(of: member) else {
            return false
        }
        return try above.answering { owner.hasMember(member, relationship.slot) }
    }

    // MARK: Saves

    func save(_ context: ManagedObjectContext) throws {
        do {
            try PushPipeline(context: context, parent: above).run()
        } catch let error as PostgresError {
            // The parent may have to load something, and nothing else is sent.
            throw context.store.readError(error)
        }
    }

    func permanentKeys(
        for new: [ManagedObject], among all: [ManagedObject], in context: ManagedObjectContext
    ) throws -> [Int64] {
        let sources = all.filter { $0.owner === context && $0.key < 0 && !$0._flags.contains(.inserted) }
            .compactMap(above.counterpart)
        if !sources.isEmpty { try above.obtainPermanentIDs(for: sources) }
        return try above.backing.permanentKeys(for: new, among: [], in: above)
    }

    // MARK: Units of work

    func run<T>(_ unit: UnitOfWork, of context: ManagedObjectContext, _ body: () throws -> T) throws -> T {
        precondition(
            !unit.isTransaction,
            "A child context has no transaction. Pass the isolation to the perform of its parent.")
        return try above.run(unit) { _ in try context.runAsChild(body) }
    }
}

extension ManagedObjectContext {
    /// Creates a child; it joins its parent with its first turn.
    convenience init(parent: ManagedObjectContext) {
        self.init(store: parent.store, backing: ParentBacking(parent))
    }
}
