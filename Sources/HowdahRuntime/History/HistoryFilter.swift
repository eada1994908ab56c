public import HowdahModel

/// The conditions on the history that a request or a stream returns; all of them must hold.
///
/// The database evaluates them. Transactions that concern all objects match every condition on entities,
/// kinds, objects and properties.
///
/// Source: a fetch request for Core Data's `NSPersistentHistoryTransaction`, with a closed set of conditions.
public struct HistoryFilter: Sendable {
    /// The entities of the changes, their sub-entities included; nil for all.
    public var entityNames: [String]?
    /// The kinds of the changes; nil for all.
    public var kinds: Set<HistoryChangeType>?
    /// The properties of which at least one changed; nil for all changes. Changes with unknown properties
    /// match.
    public var changedProperties: Set<String>?
    /// The changed objects; nil for all.
    public var objectIDs: [ObjectID<ManagedObject>]?
    /// The condition on the author.
    public var author: HistoryTextMatch?
    /// The condition on the name of the context.
    public var context: HistoryTextMatch?
    /// The condition on the process.
    public var process: HistoryTextMatch?
    /// The kinds of programs that made the changes; nil for all.
    public var origins: Set<HistoryOrigin>?
    /// The classes of the entities, in addition to ``entityNames``.
    var classes: [ManagedObject.Type]?

    /// Creates a filter; without arguments everything matches.
    ///
    /// - Parameters:
    ///   - author: The condition on the author, such as `.not("api")`.
    ///   - entities: The classes of the entities of the changes, their subclasses included.
    ///   - kinds: The kinds of the changes.
    ///   - changedProperties: The properties of which at least one changed.
    ///   - objectIDs: The changed objects.
    ///   - context: The condition on the name of the context.
    ///   - process: The condition on the process.
    ///   - origins: The kinds of programs that made the changes.
    public init(
        author: HistoryTextMatch? = nil, entities: [ManagedObject.Type]? = nil,
        kinds: Set<HistoryChangeType>? = nil, changedProperties: Set<String>? = nil,
        objectIDs: [ObjectID<ManagedObject>]? = nil, context: HistoryTextMatch? = nil,
        process: HistoryTextMatch? = nil, origins: Set<HistoryOrigin>? = nil
    ) {
        self.author = author
        classes = entities
        self.kinds = kinds
        self.changedProperties = changedProperties
        self.objectIDs = objectIDs
        self.context = context
        self.process = process
        self.origins = origins
    }
}
