extension Mistake {
    static let ofProperties: [Mistake] = [
        property(
            "constant", "let name: String", at: "let", says: "'name' must be a 'var'",
            fixed: "var name: String"),
        property(
            "untyped", "var level = 1", at: "level", says: "has no written type", fixed: "var level: Int = 1"),
        property(
            "untyped", "var size = 1.5", at: "size", says: "has no written type",
            fixed: "var size: Double = 1.5"),
        property(
            "untyped", "var text = \"a\"", at: "text", says: "no written type",
            fixed: "var text: String = \"a\""),
        property(
            "untyped", "var isOn = true", at: "isOn", says: "no written type", fixed: "var isOn: Bool = true"),
        property("untyped", "var made = Date()", at: "made", says: "var made: String"),
        property(
            "severalProperties", "var a: Int, b: Int", at: "a: Int, b: Int", says: "on its own line"),
        property("pattern", "var (a, b): (Int, Int)", at: "(a, b)", says: "declared as a tuple"),
        property(
            "observers", "var a: Int { didSet { print(a) } }", at: "{ didSet { print(a) } }",
            says: "willSet or didSet", fixed: "var a: Int"),
        property("collection", "var a: [Thing]", at: "[Thing]", says: "ToMany<Thing>"),
        property(
            "collection", "var a: Set<Thing>?", at: "Set<Thing>?",
            says: "For several objects, use @Relationship"),
        property("unsupportedType", "var a: UInt", at: "UInt", says: "Write 'Int'.", fixed: "var a: Int"),
        property(
            "unsupportedType", "var a: CGFloat?", at: "CGFloat?", says: "'Double?'", fixed: "var a: Double?"),
        property("unsupportedType", "var a: [String: Int]", at: "[String: Int]", says: "cannot be stored"),
        property("unsupportedType", "var a: () -> Void", at: "() -> Void", says: "cannot be stored"),
        property("unsupportedType", "var a: (Int, Int)", at: "(Int, Int)", says: "cannot be stored"),
        property("unsupportedType", "var a: any Error", at: "any Error", says: "cannot be stored"),
        property("unsupportedType", "var a: Any?", at: "Any?", says: "cannot be stored"),
        property(
            "implicitlyUnwrapped", "var a: String!", at: "String!", says: "Write 'String?'.",
            fixed: "var a: String?"),
        property(
            "designatedInitializer", "init(a: Int) { super.init(context: a) }", at: "init",
            says: "convenience init",
            fixed: "convenience init(a: Int) { super.init(context: a) }"),
        property(
            "notStored", "@Attribute(.unique) var a: Int { 3 }", at: "@Attribute(.unique)",
            says: "nothing is stored here"),
        property(
            "notStored", "@Attribute static var a = 3", at: "@Attribute", says: "nothing is stored here"),
        property("storageModifier", "lazy var a: Int = 1", at: "lazy", says: "cannot be 'lazy'"),
        property("storageModifier", "weak var a: Thing?", at: "weak", says: "cannot be 'weak'"),
        property("storageModifier", "override var a: Int", at: "override", says: "cannot be 'override'"),
        property("wrapper", "@Published var a: Int", at: "@Published", says: "@Published"),
        property("reservedName", "var _a: Int", at: "_a", says: "underscore"),
        property(
            "reservedName", "var `init`: Bool", at: "`init`", says: "'init' has another meaning in Swift"),
        property("reservedName", "var `self`: Int", at: "`self`", says: "'column: \"…\"'"),
        property("reservedName", "var objectID: Int", at: "objectID", says: "the object's id in predicates"),
        property(
            "nameOfHook", "var willSave: Int\n    override func willSave() {}", at: "willSave",
            says: "is also a method of ManagedObject that this class overrides"),
        property(
            "twoMarks", "@Attribute @Relationship(inverse: \"b\") var a: Thing?",
            at: "@Relationship(inverse: \"b\")", says: "both an attribute and a relationship"),
        property(
            "twoMarks", "@Attribute(.unique) @Attribute(column: \"b\") var a: Int",
            at: "@Attribute(column: \"b\")", says: "marked twice"),
        property(
            "derivedValue", "@Attribute(derived: \"now()\") var a: Date = .now", at: "= .now",
            says: "Remove the initial value.", fixed: "@Attribute(derived: \"now()\") var a: Date"),
        property(
            "conditionalProperty", "#if DEBUG\n    var a: Int\n    #endif",
            at: "#if DEBUG\n    var a: Int\n    #endif", says: "cannot depend on #if"),
    ]
}
