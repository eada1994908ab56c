public import Foundation
public import HowdahModel

extension FetchRequest where Object: ManagedObject {
    /// A request for the objects that a `#Predicate` holds for.
    ///
    /// Does not throw: a predicate that the database cannot run makes the fetch throw.
    public init(where predicate: Predicate<Object>) {
        self.init()
        do throws(PredicateTreeError) {
            self.predicate = try PredicateTree(predicate)
        } catch {
            self.predicate = PredicateTree(failing: error)
        }
    }

    /// Loads a relationship in the same call as the objects, with one more statement.
    ///
    /// Longer paths go into ``relationshipKeyPathsForPrefetching`` by name.
    ///
    /// - Throws: `FetchError.invalidRequest` for a path that is no property of the model.
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
    /// A request for all objects of the class, to be narrowed.
    ///
    /// Source: the `fetchRequest()` that Xcode generates for a class.
    public static func fetchRequest() -> FetchRequest<Self> { FetchRequest() }
}

extension PredicateTree {
    /// Makes a tree of a `#Predicate`, to be combined, stored or printed.
    ///
    /// - Throws: `unsupported` with the name of what the database cannot run, `unknownKey` for a key path that is
    ///   no property of the model, `argumentType` for a captured value that cannot be compared with.
    public init<Object: ManagedObject>(_ predicate: Predicate<Object>) throws(PredicateTreeError) {
        try self.init(predicate, naming: PropertyNames.step(of:))
    }
}
