public import Foundation
import HowdahModel
public import HowdahRuntime

extension ManagedObjectContext {
    /// Imports a JSON document that you trust: objects that exist are changed, and others are inserted.
    ///
    /// The next save stores them. The document can change everything that it can name, with the rights of the
    /// program: nested objects, objects of sub-entities, and the members of to-manys. For the body of a
    /// request use `importGraph(_:as:keyPaths:limits:)`.
    ///
    /// An object exists if the context or the store has one with its natural key. The key is the values of
    /// the uppermost uniqueness constraint whose members are required. If an entity has none, it is the
    /// uppermost constraint, for objects that have all its values; a default value counts. Properties that a
    /// document does not name stay unchanged. A to-many that it names has exactly these members afterwards.
    /// `docs/graph-json.md` describes the format.
    ///
    /// The call sends one statement for each entity with a natural key and 1,000 objects, and one for each
    /// relationship of existing objects. If it throws an error about the document's content, almost always
    /// nothing was changed. If you continue to use the context, roll it back.
    ///
    /// - Parameters:
    ///   - json: An object, or an array of objects.
    ///   - entityName: The entity of outermost objects that do not name one; nil if all of them must name it.
    /// - Returns: The objects of the document's outermost level, in its order.
    /// - Throws: ``GraphError`` with the place, the entity and the property; the errors of ``fetch(_:)``.
    @discardableResult
    public func importGraph(
        _ json: Data, as entityName: String? = nil, limits: GraphImportLimits = GraphImportLimits()
    ) throws -> [ManagedObject] {
        let layout = try entityName.map { try self.layout(for: FetchRequest<ManagedObject>(entityName: $0)) }
        return try importGraph(json, layout, nil, limits)
    }

    /// Imports a JSON document that may contain only properties that key paths name, such as the body of a
    /// request.
    ///
    /// ```swift
    /// try context.importGraph(body, as: "Note", keyPaths: ["text", "author"])
    /// ```
    /// A key path names an attribute, all stored attributes by `*`, or a relationship. The objects of a
    /// relationship are references, `{"@ref": …}`, unless a longer key path such as `author.name` names a
    /// property of them. Then they are inserted, or found by their natural key and changed.
    ///
    /// `@entity`, also `author.@entity`, permits objects of sub-entities and references that name these.
    /// Without it, a document that contains one is refused. A to-many that a key path names has exactly the
    /// members of the document afterwards.
    ///
    /// If an object exists with the natural key of an outermost object, it is changed. Name the members of
    /// the natural key only if you want that. A default value completes no key: an object that lacks a member
    /// is a new one.
    ///
    /// - Throws: ``GraphError`` with `notInKeyPaths` and the place of the first content that no key path
    ///   names, before anything is changed; with `invalidKeyPath`; the errors of `importGraph(_:as:limits:)`.
    @discardableResult
    public func importGraph(
        _ json: Data, as entityName: String, keyPaths: [String],
        limits: GraphImportLimits = GraphImportLimits()
    ) throws -> [ManagedObject] {
        let layout = try self.layout(for: FetchRequest<ManagedObject>(entityName: entityName))
        return try importGraph(json, layout, keyPaths, limits)
    }

    /// Imports a JSON document of a class's objects that may contain only properties that key paths name.
    ///
    /// See `importGraph(_:as:keyPaths:limits:)`.
    ///
    /// - Throws: The errors of the form with an entity's name.
    @discardableResult
    public func importGraph<Object: ManagedObject>(
        _ json: Data, as type: Object.Type, keyPaths: [String],
        limits: GraphImportLimits = GraphImportLimits()
    ) throws -> [Object] {
        let layout = try layout(for: FetchRequest<Object>())
        return typed(try importGraph(json, layout, keyPaths, limits), of: layout)
    }

    /// Imports a JSON document of objects of a class that you trust; see `importGraph(_:as:limits:)`.
    ///
    /// - Throws: The errors of the form with an entity's name.
    @discardableResult
    public func importGraph<Object: ManagedObject>(
        _ json: Data, as type: Object.Type, limits: GraphImportLimits = GraphImportLimits()
    ) throws -> [Object] {
        let layout = try layout(for: FetchRequest<Object>())
        return typed(try importGraph(json, layout, nil, limits), of: layout)
    }

    private func importGraph(
        _ json: Data, _ layout: EntityLayout?, _ keyPaths: [String]?, _ limits: GraphImportLimits
    ) throws -> [ManagedObject] {
        precondition(
            (1...GraphJSONWriter.documentDepth).contains(limits.maximumDepth),
            "maximumDepth is \(limits.maximumDepth). Set it to a number from 1 to "
                + "\(GraphJSONWriter.documentDepth).")
        try throwFailure()
        try checkConnection()
        guard json.count <= limits.maximumBytes else {
            throw GraphError(
                .tooLarge,
                "The document has more than \(limits.maximumBytes) bytes. Split the document, and "
                    + "import the pieces one by one.")
        }
        var tree: GraphTree?
        if let keyPaths, let layout { tree = try GraphTree(keyPaths, layout, layouts, isForImport: true) }
        let document = try JSONValue(document: Array(json).withoutByteOrderMark, limits.maximumDepth)
        let keys = store.layouts.naturalKeys
        var reading = GraphReading(store.layouts, keys, maximumObjects: limits.maximumObjects)
        var roots: [Int] = []
        if case .array(let elements) = document {
            for (position, element) in elements.enumerated() {
                let place = GraphPlace().element(position)
                roots.append(try reading.add(element, layout, at: place, group: position, within: tree))
            }
        } else {
            roots.append(try reading.add(document, layout, at: GraphPlace(), group: 0, within: tree))
        }
        do {
            let matching = try GraphMatching(self, keys, reading.records)
            var application = GraphApplication(self, matching)
            try application.run()
            return roots.compactMap(application.object)
        } catch {
            throw store.readError(error)
        }
    }
}

extension JSONValue {
    /// Reads the value of a document.
    ///
    /// - Parameter line: The number of its line, or nil to count lines.
    /// - Throws: The error with the place at which the document is invalid.
    init(document bytes: [UInt8], line: Int? = nil, _ maximumDepth: Int) throws(GraphError) {
        do throws(JSONValueReader.Fault) {
            self = try JSONValueReader.read(bytes, maximumDepth: maximumDepth)
        } catch {
            let before = bytes.prefix(error.offset)
            let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            let place = GraphPlace(line: line ?? 1 + before.count { $0 == UInt8(ascii: "\n") })
            throw GraphError(
                error.isTooDeep ? .tooLarge : .invalidJSON,
                "\(error.message), at byte \(error.offset - start + 1) of the line. Correct the document.",
                at: place)
        }
    }
}

/// The limits of the JSON that an import accepts; the defaults suit the body of a request.
///
/// The key paths of the import limit the changes that a body can make.
public struct GraphImportLimits: Hashable, Sendable {
    /// The maximum number of bytes of a document.
    public var maximumBytes = 16 << 20
    /// The maximum number of objects of a document, nested ones included.
    public var maximumObjects = 100_000
    /// The maximum depth of nested arrays and objects; at most 512.
    public var maximumDepth = 64

    /// Creates the default limits: 16 MiB, 100,000 objects, 64 levels.
    public init() {}
}
