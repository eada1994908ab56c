package import HowdahModel

/// A request for rows as text, with long values cut by the server; `howdah browse` shows them.
package struct BrowseQuery: Sendable {
    /// The entity, with its subentities.
    package var entityName: String
    /// The condition; nil for all objects.
    package var predicate: PredicateTree?
    /// The order; the key decides between equal objects.
    package var sortDescriptors: [SortKey<ManagedObject>] = []
    /// The key paths of attributes and to-one relationships.
    package var columns: [String] = []
    /// The object whose members are requested; nil for objects of the entity.
    package var owner: Owner?
    /// The key of the only object that is requested; nil for all.
    package var key: Int64?
    /// The position that the page is next to.
    package var cursor: PageCursor?
    /// A Boolean value that indicates whether the page ends before the cursor instead of starting after it.
    package var isBackward = false
    /// The maximum number of rows.
    package var limit = 100
    /// The number of characters to which values are cut.
    package var cut = 200
    /// The most bytes of a value of the order that are read for a cursor; nil for any number.
    package var cursorLimit: Int?

    /// A to-many relationship of one object.
    package struct Owner: Sendable, Hashable {
        package let entityName: String
        package let relationshipName: String
        package let key: Int64

        package init(entityName: String, relationshipName: String, key: Int64) {
            self.entityName = entityName
            self.relationshipName = relationshipName
            self.key = key
        }
    }

    package init(entityName: String) { self.entityName = entityName }
}
