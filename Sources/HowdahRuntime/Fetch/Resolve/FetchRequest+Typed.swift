public import Foundation
public import HowdahModel

extension FetchRequest where Object: ManagedObject {
    /// Creates a request for the objects that match a `#Predicate`.
    ///
    /// It does not throw: if the database cannot evaluate the predicate, the fetch throws.
    public init(where predicate: Predicate<Object>) {
        self.init()
        do throws(PredicateTreeError) {
            self.predicate = try PredicateTree(predicate)
        } catch {
            self.predicate = PredicateTree(failing: error)
        }
    }

    /// Creates a request for the objects that match a tree, such as one of a format.
    ///
    /// ```swift
    /// let request = FetchRequest<Employee>(matching: .format("salary > %d", 100))
    /// ```
    public init(matching predicate: PredicateTree) {
        self.init()
        self.predicate = predicate
    }

    /// Loads a relationship in the same call as the objects, with one more statement.
    ///
    /// Add longer paths to ``relationshipKeyPathsForPrefetching`` by name.
    ///
    /// - Throws: `FetchError.invalidRequest` if the path is not a property of the model.
    public mutating func prefetch<Relationship: RelationshipValue>(
        _ relationship: KeyPath<Object, Relationship>
    ) throws {
        guard let name = PropertyNames.name(of: relationship) else {
            throw FetchError(.invalidRequest, PropertyNames.complaint(about: relationship))
        }
        relationshipKeyPathsForPrefetching.append(name)
    }
}

extension ManagedObjectIdentity {
    /// Returns a request for all objects of the class, which you can narrow.
    ///
    /// Source: the `fetchRequest()` that Xcode generates for a class.
    public static func fetchRequest() -> FetchRequest<Self> { FetchRequest() }
}

extension PredicateTree {
    /// Creates a tree from a `#Predicate`, so that you can combine, store or print it.
    ///
    /// - Throws: `unsupported` with the name of the part that the database cannot evaluate. `unknownKey` for
    ///   a key path that is not a property of the model. `argumentType` for a captured value that cannot be
    ///   compared with.
    public init<Object: ManagedObject>(_ predicate: Predicate<Object>) throws(PredicateTreeError) {
        try self.init(predicate, naming: PropertyNames.step(of:))
    }
}
