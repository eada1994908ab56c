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
    public var changeTypes: Set<HistoryChangeType>?
    /// The properties of which at least one changed; nil for all changes. Changes with unknown properties
    /// match.
    public var updatedProperties: Set<String>?
    /// The changed objects; nil for all.
    public var objectIDs: [ObjectID<ManagedObject>]?
    /// The condition on the author.
    public var author: HistoryTextMatch?
    /// The condition on the name of the context.
    public var contextName: HistoryTextMatch?
    /// The condition on the process.
    public var processID: HistoryTextMatch?
    /// The kinds of programs that made the changes; nil for all.
    public var origins: Set<HistoryOrigin>?
    /// The classes of the entities, in addition to ``entityNames``.
    var classes: [ManagedObject.Type]?

    /// Creates a filter; without arguments everything matches.
    ///
    /// - Parameters:
    ///   - author: The condition on the author, such as `.not("api")`.
    ///   - entities: The classes of the entities of the changes, their subclasses included.
    ///   - changeTypes: The kinds of the changes.
    ///   - updatedProperties: The properties of which at least one changed.
    ///   - objectIDs: The changed objects.
    ///   - contextName: The condition on the name of the context.
    ///   - processID: The condition on the process.
    ///   - origins: The kinds of programs that made the changes.
    public init(
        author: HistoryTextMatch? = nil, entities: [ManagedObject.Type]? = nil,
        changeTypes: Set<HistoryChangeType>? = nil, updatedProperties: Set<String>? = nil,
        objectIDs: [ObjectID<ManagedObject>]? = nil, contextName: HistoryTextMatch? = nil,
        processID: HistoryTextMatch? = nil, origins: Set<HistoryOrigin>? = nil
    ) {
        self.author = author
        classes = entities
        self.changeTypes = changeTypes
        self.updatedProperties = updatedProperties
        self.objectIDs = objectIDs
        self.contextName = contextName
        self.processID = processID
        self.origins = origins
    }
}
