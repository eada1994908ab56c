/// One line of a diagram.
struct Connection: Equatable {
    enum Kind: Equatable {
        /// From an entity to its superentity.
        case inheritance
        case relationship
        /// A relationship that nothing leads back from.
        case oneWay
    }

    /// Where a line ends: at a row of a box, or at its name.
    struct End: Equatable {
        var box: Int
        var row: Int?
        /// The number of destinations, which by convention is written where they are; empty for none.
        var cardinality = ""
        /// Whether deleting this end's object deletes the other end's.
        var cascades = false
    }

    var kind: Kind
    var from: End
    var to: End
    /// The whole relationship in words.
    var summary: String

    var isLoop: Bool { from.box == to.box }
}
