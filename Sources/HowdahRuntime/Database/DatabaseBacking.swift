import HowdahModel

/// The store as a backing, which only connects fetches and saves.
final class DatabaseBacking: Backing {
    private let store: Store

    init(_ store: Store) { self.store = store }

    var parent: ManagedObjectContext? { nil }
    var keysAreFinal: Bool { true }
    var propagatesDeletionsAtOnce: Bool { false }
    var refusal: FetchError? { nil }
    var notices: StoreNotices { store.notices }
    var absence: String { "is no longer in the store. Discard the id." }

    func fetch<Object: ManagedObject>(
        _ request: FetchRequest<Object>, of layout: EntityLayout, in context: ManagedObjectContext
    ) throws -> [ManagedObject] {
        try StoreFetch(context: context).run(request, layout)
    }

    func count<Object: ManagedObject>(
        _ request: FetchRequest<Object>, of layout: EntityLayout, in context: ManagedObjectContext
    ) throws -> Int {
        try StoreFetch(context: context).count(request, layout)
    }

    func page<Object: ManagedObject>(
        _ request: FetchRequest<Object>, after cursor: String?, of layout: EntityLayout,
        in context: ManagedObjectContext
    ) throws -> (objects: [ManagedObject], next: String?) {
        try StorePage(context: context).run(request, after: cursor, layout)
    }

    func fill(_ faults: [ManagedObject], comment: String, in context: ManagedObjectContext) throws {
        try StoreFaults(context: context, comment: comment).fill(faults)
    }

    func members(
        of owners: [ManagedObject], _ relationship: RelationshipLayout, comment: String,
        in context: ManagedObjectContext
    ) throws -> [[ManagedObject]] {
        try StoreFaults(context: context, comment: comment).members(of: owners, relationship)
    }

    func readAgain(_ object: ManagedObject, in context: ManagedObjectContext) { context.refresh(object) }

    func countMembers(
        of owners: [ManagedObject], _ relationship: RelationshipLayout, in context: ManagedObjectContext
    ) throws {
        try StoreFaults(context: context).countMembers(of: owners, relationship)
    }

    func holds(
        _ member: ManagedObject, of owner: ManagedObject, _ relationship: RelationshipLayout,
        in context: ManagedObjectContext
    ) throws -> Bool {
        try StoreFaults(context: context).holds(member, of: owner, relationship)
    }

    func save(_ context: ManagedObjectContext) throws {
        defer { context.tellOfAdoptions() }
        var attempts = SaveAttempts(context)
        try attempts.runObserved()
    }

    func permanentKeys(
        for new: [ManagedObject], among all: [ManagedObject], in context: ManagedObjectContext
    ) throws -> [Int64] {
        if new.isEmpty { return [] }
        return try context.withConnection { try store.keys.take(for: new, on: $0) }
    }

    func run<T>(_ unit: UnitOfWork, of context: ManagedObjectContext, _ body: () throws -> T) throws -> T {
        try context.conduct(unit, body)
    }
}

extension ManagedObjectContext {
    /// Creates a context that reads from and saves to the database.
    package convenience init(store: Store) { self.init(store: store, backing: DatabaseBacking(store)) }
}
