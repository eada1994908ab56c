/// The place of an object in a sectioned result.
///
/// A result without sections has one section.
///
/// Source: Foundation's `IndexPath`, which has these names only with UIKit.
public struct ResultIndexPath: Hashable, Sendable, Codable {
    /// The position of the section.
    public var section: Int
    /// The position of the object in its section.
    public var row: Int

    /// Creates the place of an object.
    public init(section: Int, row: Int) {
        self.section = section
        self.row = row
    }
}

extension ResultIndexPath: Comparable {
    /// Compares the sections, and then the rows.
    public static func < (one: Self, other: Self) -> Bool {
        (one.section, one.row) < (other.section, other.row)
    }
}
