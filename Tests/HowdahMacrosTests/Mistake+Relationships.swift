extension Mistake {
    static let ofRelationships: [Mistake] = [
        property(
            "unmarked", "var all: ToMany<Thing>", at: "ToMany<Thing>", says: "Mark it with @Relationship",
            fixed: "@Relationship(inverse: \"<#name#>\") var all: ToMany<Thing>"),
        property(
            "missingInverse", "@Relationship var other: Thing?", at: "@Relationship",
            says: "does not name its inverse",
            fixed: "@Relationship(inverse: \"<#name#>\") var other: Thing?"),
        property(
            "missingInverse", "@Relationship(.required) var other: Thing?", at: "@Relationship(.required)",
            says: "does not name its inverse",
            fixed: "@Relationship(.required, inverse: \"<#name#>\") var other: Thing?"),
        property(
            "inverseName", "@Relationship(inverse: \"a b\") var other: Thing?",
            at: "@Relationship(inverse: \"a b\")", says: "the name of a property"),
        property(
            "inverseName", "@Relationship(inverse: key) var other: Thing?", at: "@Relationship(inverse: key)",
            says: "string literal"),
        property(
            "nonOptionalToOne", "@Relationship(inverse: \"a\") var other: Thing", at: "Thing",
            says: "Write 'Thing?', with @Relationship(.required)",
            fixed: "@Relationship(inverse: \"a\") var other: Thing?"),
        property(
            "optionalToMany", "@Relationship(inverse: \"a\") var all: ToMany<Thing>?", at: "ToMany<Thing>?",
            says: "never nil", fixed: "@Relationship(inverse: \"a\") var all: ToMany<Thing>"),
        property(
            "initialValue", "@Relationship(inverse: \"a\") var other: Thing? = nil", at: "= nil",
            says: "begins empty", fixed: "@Relationship(inverse: \"a\") var other: Thing?"),
        property(
            "initialValue", "@Relationship(inverse: \"a\") var all: ToMany<Thing> = ToMany()",
            at: "= ToMany()",
            says: "begins empty", fixed: "@Relationship(inverse: \"a\") var all: ToMany<Thing>"),
        property(
            "requiredToMany", "@Relationship(.required, inverse: \"a\") var all: ToMany<Thing>",
            at: "@Relationship(.required, inverse: \"a\")", says: "minCount: 1"),
        property(
            "optionalWithoutMinimum", "@Relationship(.optional, inverse: \"a\") var all: ToMany<Thing>",
            at: "@Relationship(.optional, inverse: \"a\")", says: "with minCount"),
        property(
            "optionalWithoutMinimum",
            "@Relationship(.optional, inverse: \"a\", minCount: 2) var other: Thing?",
            at: "@Relationship(.optional, inverse: \"a\", minCount: 2)", says: "to-many relationships"),
        property(
            "collection", "@Relationship(inverse: \"a\") var all: [Thing]", at: "[Thing]",
            says: "ToMany<Thing>",
            fixed: "@Relationship(inverse: \"a\") var all: ToMany<Thing>"),
        property(
            "collection", "@Relationship(inverse: \"a\") var all: Set<Thing>?", at: "Set<Thing>?",
            says: "ToMany<Thing>", fixed: "@Relationship(inverse: \"a\") var all: ToMany<Thing>"),
        property(
            "implicitlyUnwrapped", "@Relationship(inverse: \"a\") var other: Thing!", at: "Thing!",
            says: "Thing?",
            fixed: "@Relationship(inverse: \"a\") var other: Thing?"),
        property(
            "toManyOfNothing", "@Relationship(inverse: \"a\") var all: ToMany", at: "ToMany",
            says: "ToMany<Employee>"),
        property(
            "relationshipToValue", "@Relationship(inverse: \"a\") var other: String",
            at: "@Relationship(inverse: \"a\")",
            says: "'String' is a type of values", fixed: "var other: String"),
        property(
            "notStored", "@Relationship(inverse: \"a\") func other() {}", at: "@Relationship(inverse: \"a\")",
            says: "nothing is stored here"),
    ]
}
