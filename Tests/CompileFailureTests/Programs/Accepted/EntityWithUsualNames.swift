// expect: nothing
import Howdah

/// Names that the emitted code or the superclass use inside, and that are nobody's outside.
@Entity final class Thing: ManagedObject {
    var key: String
    var version: Int
    var owner: String?
    var layout: String?
    var changes: Int
    var generic: Bool
    var flags: Int
    var written: Bool
    var value: Double
    var values: String
    var assign: String
    var type: String
    var slot: Int
    var row: Int
    var state: String
    var field: String
    var list: String
    var properties: String
    var destination: String
    var inverse: String
    var decode: String
    var entity: String
    var keyPaths: String
    var `class`: String
    var `default`: Int = 3
    @Relationship(inverse: "class") var `switch`: Other?
}

@Entity final class Other: ManagedObject {
    @Relationship(inverse: "switch") var `class`: Thing?
}

func program(_ thing: Thing) -> Int { thing.slot + thing.version + thing.row + thing.changes }
