public import Foundation
public import HowdahModel
public import HowdahRuntime

extension ManagedObjectContext {
    /// Encodes objects, and the objects that key paths reach from them, as canonical JSON.
    ///
    /// The result is an array with one of the objects on each line, in their order. A key path names an
    /// attribute, `*` for all stored attributes, or reaches these over relationships: `employees.firstName`,
    /// `employees.manager`. A path that ends with a relationship refers to its destinations by their natural
    /// keys. The natural key of an object is always included. Each object is written in full once, and later
    /// as a reference. `importGraph(_:as:limits:)` reads the JSON, and `docs/graph-json.md` describes the
    /// format.
    ///
    /// Equal content gives equal bytes, even if the ids differ: members of unordered relationships are in the
    /// order of their natural keys. The call sends one statement for each relationship in the key paths, for
    /// up to 10,000 objects. Objects are written as they are in the context, with unsaved changes.
    ///
    /// - Parameter contents: The members to write in addition to the properties; see ``GraphContents``.
    /// - Throws: ``GraphError`` with `invalidKeyPath`; the errors of ``fetch(_:)``.
    public func encodeGraph<Object: ManagedObject>(
        of objects: [Object], keyPaths: [String] = ["*"], including contents: GraphContents = .entity
    ) throws -> Data {
        try throwFailure()
        do {
            return Data(
                try encoder(objects, keyPaths, nil).document(
                    contents, of: try? layout(for: FetchRequest<Object>())))
        } catch {
            throw store.readError(error)
        }
    }

    /// Encodes objects as ``encodeGraph(of:keyPaths:including:)`` does, and adds the version of the document.
    ///
    /// The version serves as an `ETag` of a page that shows several objects. The version of one row alone
    /// stays the same when another session adds a comment. The statements are the same.
    ///
    /// - Throws: ``GraphError`` with `invalidKeyPath`; the errors of ``fetch(_:)``.
    public func graphDocument<Object: ManagedObject>(
        of objects: [Object], keyPaths: [String] = ["*"], including contents: GraphContents = .entity
    ) throws -> GraphDocument {
        try throwFailure()
        do {
            let encoder = try encoder(objects, keyPaths, nil)
            let json = try encoder.document(contents, of: try? layout(for: FetchRequest<Object>()))
            let version = encoder.versionedParts().map { parts in
                ObjectVersion(digestOf: Array("\(json.count)\n".utf8) + json + Array(parts.utf8))
            }
            return GraphDocument(json: Data(json), version: version)
        } catch {
            throw store.readError(error)
        }
    }

    /// - Parameter layout: The entity at which the key paths begin; nil for the entities of the objects.
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
                "The objects have no common superentity. Encode the objects of one entity at a time.",
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

/// A graph in canonical JSON, with the version of everything in it.
public struct GraphDocument: Sendable {
    /// The JSON, as `encodeGraph(of:keyPaths:including:)` returns it.
    public let json: Data
    /// The version of the document; nil if the context, or a parent of it, has unsaved changes.
    ///
    /// It is a digest of the JSON, of the ids and versions of all objects in it, and of the members of its to-many
    /// relationships. Two documents with one version are equal. If a session adds a member, or changes any object in the
    /// document, the next document has another version.
    public let version: ObjectVersion?
}

/// The members that a graph's JSON has in addition to the properties.
public struct GraphContents: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// `"@entity"`, the name of the entity, in each outermost object.
    ///
    /// Without it, only objects of subentities name theirs, because the reader knows the class that you encode.
    public static let entity = GraphContents(rawValue: 1)
    /// `"@objectID"`, the id as ``ObjectID/pathComponent``, in each saved object that is written in full.
    public static let objectID = GraphContents(rawValue: 2)
    /// `"@version"`, the text of `object.version`, in each saved object that is written in full.
    ///
    /// It is the version of the object's row, for `existingObject(with:version:)`. The version of the whole document is
    /// that of `graphDocument(of:keyPaths:including:)`.
    public static let version = GraphContents(rawValue: 4)
}
