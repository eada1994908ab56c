/// What to fetch: which entity's objects, which of them, in which order, and how much of each.
///
/// A plain value without a context or connection; it may be kept, copied and sent.
///
/// Source: Core Data's `NSFetchRequest`; defaults are the same.
public struct FetchRequest<Object>: Sendable {
    /// The entity's name; nil means the entity of `Object`.
    public var entityName: String?

    /// Which objects; nil means all.
    public var predicate: PredicateTree?

    /// Words that must be found in texts, too; nil means none.
    ///
    /// Where the request has no order, the best matches come first. A request with a search asks the store alone.
    public var search: TextSearch?

    /// The order; objects that are equal in all criteria come in the order of their ids.
    public var sortDescriptors: [SortKey<Object>] = []

    /// How many objects at most; 0 means no limit.
    public var fetchLimit = 0

    /// How many objects to skip at the front of the order.
    public var fetchOffset = 0

    /// Whether objects of sub-entities are fetched too; false means exactly the entity.
    public var includesSubentities = true

    /// Whether unsaved changes of the context count: new objects that match are found, objects that were deleted or do
    /// not match any more are not, and order, limit and offset are those of the whole.
    ///
    /// False asks the store alone. A request with ``rowLock`` always does.
    public var includesPendingChanges = true

    /// Whether objects come as faults whose rows wait in the row cache; false fills them at once.
    public var returnsObjectsAsFaults = true

    /// Whether rows are read at all; false reads ids only, and a fault then costs a query when touched.
    public var includesPropertyValues = true

    /// Relationships to load in the same call, one statement per step of each key path.
    public var relationshipKeyPathsForPrefetching: [String] = []

    /// Whether touching one fetched object's relationship loads it for all objects of this fetch.
    ///
    /// A loop over the result then costs one query instead of one per object. Not in Core Data.
    public var loadsCohorts = true

    /// Whether objects that the context knows already get the fetched values too; objects with unsaved changes keep
    /// theirs.
    public var shouldRefreshRefetchedObjects = false

    /// How the fetched rows are locked until the transaction ends; nil means not at all.
    ///
    /// Needs `perform(isolation:)`. Objects that the context knew already get the values that were locked, as by
    /// ``shouldRefreshRefetchedObjects``. Rows that are joined for a predicate or an order are not locked, and neither is
    /// what is prefetched. Not in Core Data.
    public var rowLock: RowLock?

    /// What `ManagedObjectContext.execute(_:)` brings; the other calls say by their name what they bring.
    public var resultType = FetchRequestTemplate.ResultType.objects

    /// What dictionaries hold; empty means all stored attributes.
    ///
    /// Of a fetch of objects, which of their attributes and to-ones are read: the objects are partial faults, and touching
    /// another property loads the rest for all of them. Empty means all; aggregates and longer key paths are refused.
    public var propertiesToFetch: [ResultColumn<Object>] = []

    /// The properties whose values make the groups of a fetch of dictionaries, one row for each group.
    ///
    /// Where this is empty and an aggregate is fetched, all rows are one group.
    public var propertiesToGroupBy: [ResultColumn<Object>] = []

    /// Which groups are brought: comparisons of what is fetched or grouped by, under its name or as a variable of that
    /// name, with values. Needs groups.
    public var havingPredicate: PredicateTree?

    /// Whether dictionaries, or values, that are equal come once. Objects are distinct anyhow.
    public var returnsDistinctResults = false

    /// How many objects are loaded together; 0 means all at once.
    ///
    /// With a number the fetch brings ids, and touching an object loads it and those next to it in the result.
    public var fetchBatchSize = 0

    /// Where the request comes from; see ``tagged(_:file:line:)``.
    package var tag: String?

    /// A request for all objects of `entityName`, or of the entity of `Object`.
    public init(entityName: String? = nil) { self.entityName = entityName }
}
