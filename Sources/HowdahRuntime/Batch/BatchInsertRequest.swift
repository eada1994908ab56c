public import HowdahModel

/// Rows to insert into the database without making objects of them.
///
/// ```swift
/// let request = BatchInsertRequest(
///     Employee.self, objects: [["firstName": "Ada", "salary": 100, "department": departmentID]])
/// let result = try context.execute(request)
/// ```
/// With objects that a closure fills, names and types are checked by the compiler:
///
/// ```swift
/// var numbers = (1...1_000_000).makeIterator()
/// let request = BatchInsertRequest(Employee.self, managedObjectHandler: { employee in
///     guard let number = numbers.next() else { return true }
///     employee.firstName = "Number \(number)"
///     return false
/// })
/// ```
/// A row is a dictionary by the names of attributes, of to-one relationships, which take an `ObjectID`, or of dotted
/// paths into composites. What it does not name gets the model's default. `ManagedObjectContext.execute(_:)` runs the
/// request; a generator is used up by that. For streams see `insert(into:from:)` of ``PersistentContainer``.
///
/// Source: Core Data's `NSBatchInsertRequest`.
public struct BatchInsertRequest<Object> {
    /// What to bring back.
    public typealias ResultType = BatchResultType

    /// The entity's name; nil means the entity of `Object`.
    public var entityName: String?
    /// What happens to rows with unique values that a stored row has; nil means what the context's merge policy says.
    public var uniqueness: MergePolicy.MergeType?
    /// The properties of the uniqueness constraint that decides whether a row is there already; needed where the entity
    /// has several.
    public var arbiter: [String] = []
    /// What to bring back.
    public var resultType: ResultType
    let source: Source

    enum Source {
        case rows([[String: Any]])
        case generator((inout [String: Any]) throws -> Bool)
        case objects((Object) throws -> Bool)
    }

    /// A request to insert these rows.
    public init(
        _ type: Object.Type, entityName: String? = nil, objects rows: [[String: Any]],
        uniqueness: MergePolicy.MergeType? = nil, result: ResultType = .count
    ) {
        self.entityName = entityName
        self.uniqueness = uniqueness
        resultType = result
        source = .rows(rows)
    }

    /// A request to insert what a generator makes: it fills the dictionary, which is empty each time, and returns false; or
    /// it returns true, and then there are no more rows.
    ///
    /// The generator runs inside of the statement that takes the rows: it must not use the context.
    public init(
        _ type: Object.Type, entityName: String? = nil,
        uniqueness: MergePolicy.MergeType? = nil, result: ResultType = .count,
        dictionaryHandler: @escaping (inout [String: Any]) throws -> Bool
    ) {
        self.entityName = entityName
        self.uniqueness = uniqueness
        resultType = result
        source = .generator(dictionaryHandler)
    }

    /// A request to insert what a generator makes of objects: it fills the object, which is new each time and has the initial
    /// values of its class, and returns false; or it returns true, and then there are no more rows.
    ///
    /// The object is none of the context's: nobody else sees it, hooks are not called, and it must not be kept. To-one
    /// relationships can be set to objects of the context that runs the request; to-many ones are empty. With a policy for
    /// unique values a row names what was set. The generator runs inside of the statement that takes the rows: it must not
    /// have the context ask the database.
    public init(
        _ type: Object.Type, entityName: String? = nil,
        uniqueness: MergePolicy.MergeType? = nil, result: ResultType = .count,
        managedObjectHandler: @escaping (Object) throws -> Bool
    ) where Object: ManagedObject {
        self.entityName = entityName
        self.uniqueness = uniqueness
        resultType = result
        source = .objects(managedObjectHandler)
    }
}
