// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation
public import Howdah

/// Shelves with an array of every type that arrays can have.
public enum DeclaredShelves {
    public static func model() throws -> ManagedObjectModel { try ManagedObjectModel(Shelf.self) }
}

@Composite public struct ShelfLabel {
    public var lines: [String]
    public var sizes: [Double]?

    public init(lines: [String], sizes: [Double]?) {
        self.lines = lines
        self.sizes = sizes
    }
}

@Entity public final class Shelf: ManagedObject {
    public var name: String
    public var tags: [String] = []
    public var oTags: [String]?
    public var kinds: [String] = ["new", "it's \"{\\,}\""]
    public var flags: [Bool] = []
    public var int16s: [Int16] = [1, -2]
    public var int32s: [Int32] = []
    public var int64s: [Int64] = []
    public var ints: [Int]?
    public var doubles: [Double] = [0.5]
    public var floats: [Float] = []
    public var decimals: [Decimal] = [1, 2.5]
    public var dates: [Date] = []
    public var datas: [Data] = []
    public var uuids: [UUID] = []
    public var urls: [URL] = []
    public var label: ShelfLabel?
    @Relationship(inverse: "members") public var above: Shelf?
    @Relationship(inverse: "above") public var members: ToMany<Shelf>
}
