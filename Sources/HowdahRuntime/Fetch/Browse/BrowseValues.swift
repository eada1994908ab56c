/// The different values of a key path among the objects of a ``BrowseQuery``, the most frequent one first.
package struct BrowseValues: Sendable {
    /// A value and the number of objects that have it.
    package struct Group: Sendable {
        /// The value for each column of the query.
        package let cells: [BrowseCell]
        package let count: Int
    }

    package let groups: [Group]
    /// The number of objects that were looked at.
    package let objectCount: Int
    /// The number of different values.
    package let valueCount: Int
}
