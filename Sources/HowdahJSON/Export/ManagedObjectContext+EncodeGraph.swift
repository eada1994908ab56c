public import Foundation
import HowdahModel
public import HowdahRuntime

extension ManagedObjectContext {
    /// Encodes objects and what key paths lead to from them as canonical JSON: an array with one of the objects on each
    /// line, in their order.
    ///
    /// A key path names an attribute, `*` for all stored attributes, or leads there over relationships:
    /// `employees.firstName`, `employees.manager`. A path that ends with a relationship refers to its destinations by their
    /// natural keys. The natural key of an object is always in. Each object is written in full once; where it comes again
    /// there is a reference. `importGraph(_:as:limits:)` reads it back, and `docs/graph-json.md` describes the format.
    ///
    /// Equal content gives equal bytes, whatever the ids: members of unordered relationships come by natural key. One
    /// statement for each relationship in the key paths, whatever the number of objects up to 10,000. Objects are written
    /// as they are in the context, unsaved changes too.
    ///
    /// - Throws: ``GraphError`` with `invalidKeyPath`; as ``fetch(_:)``.
    public func encodeGraph<Object: ManagedObject>(
        of objects: [Object], keyPaths: [String] = ["*"]
    ) throws -> Data {
        try throwFailure()
        do {
            return Data(try encoder(objects, keyPaths, nil).document())
        } catch {
            throw store.readError(error)
        }
    }

    /// - Parameter layout: where the key paths begin; nil for the entities of the objects.
    func encoder(
        _ objects: [ManagedObject], _ keyPaths: [String], _ layout: EntityLayout?
    ) throws -> GraphEncoder {
        let objects = objects.map(\.resolved)
        for object in objects {
            try checkOwnership(of: object, "encoded")
        }
        guard let layout = layout ?? commonEntity(of: objects) else {
            guard let first = objects.first else { return try GraphEncoder(self, [], GraphTree()) }
            throw GraphError(
                .invalidKeyPath,
                "the objects have no superentity in common; encode those of one entity at a time",
                entity: first.layout)
        }
        return try GraphEncoder(self, objects, try GraphTree(keyPaths, layout, layouts))
    }

    private func commonEntity(of objects: [ManagedObject]) -> EntityLayout? {
        let present = Set(objects.map(\.layout.index))
        guard let root = objects.first?.layout.root else { return nil }
        return layouts[root].family.map { layouts[$0] }
            .filter { present.isSubset(of: $0.family) }
            .min { $0.family.count < $1.family.count }
    }
}
