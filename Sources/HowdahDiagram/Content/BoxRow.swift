/// One line of an entity's box.
struct BoxRow: Equatable {
    enum Kind: Equatable {
        case attribute, element, uniqueness, relationship
        /// The far end of a relationship that has no inverse, or is its own.
        case arrival
    }

    var kind: Kind
    var name: String
    /// The type or destination, as Swift would write it; empty for none.
    var type = ""
    /// Words that qualify the property: `unique`, `transient`, `ordered`, a delete rule.
    var marks: [String] = []
    /// How deep inside composites the row stands.
    var depth = 0
}
