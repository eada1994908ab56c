import Howdah

/// Which versions of its target a dependency accepts: ">= 2.36".
struct VersionConstraint: CompositeValue {
    var relation: String
    var version: String

    static let compositeDescription = CompositeDescription(
        "VersionConstraint",
        [
            AttributeDescription("relation", .string, optional: false),
            AttributeDescription("version", .string, optional: false),
        ])

    static var _columnCount: Int { 2 }
    static var _zero: VersionConstraint { VersionConstraint(relation: "", version: "") }

    init(relation: String, version: String) {
        self.relation = relation
        self.version = version
    }

    init(_row row: inout _RowReader) {
        relation = row.read()
        version = row.read()
    }

    init?(_elements elements: [Value]) {
        guard elements.count == 2, let relation = String._make(elements[0]),
            let version = String._make(elements[1])
        else { return nil }
        self.init(relation: relation, version: version)
    }

    var _elements: [Value] { [relation._value, version._value] }
}
