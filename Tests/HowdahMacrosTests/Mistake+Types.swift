extension Mistake {
    static let ofTypes: [Mistake] = [
        Mistake(
            "notAClass", "@Entity struct Thing { var a: Int }", at: "@Entity",
            says: "Use @Composite for a struct of values.",
            fixed: "@Composite struct Thing { var a: Int }"),
        Mistake("notAClass", "@Entity actor Thing { var a: Int }", at: "@Entity", says: "is for a class"),
        Mistake("notAClass", "@Entity enum Thing { case a }", at: "@Entity", says: "is for a class"),
        Mistake(
            "outsideEntity", "final class Thing: ManagedObject { @Attribute(.unique) var a: Int }",
            at: "@Attribute(.unique)", says: "Mark the class with @Entity."),
        Mistake(
            "outsideEntity", "@Relationship(inverse: nil) var a: Int", at: "@Relationship(inverse: nil)",
            says: "Mark the class with @Entity."),
        Mistake(
            "unsupportedType", "@Composite struct Place { var a: UInt8 }", at: "UInt8",
            says: "Write 'Int16'.",
            fixed: "@Composite struct Place { var a: Int16 }"),
        Mistake(
            "noSuperclass", "@Entity final class Thing { var a: Int }", at: "Thing",
            says: "must inherit from ManagedObject",
            fixed: "@Entity final class Thing: ManagedObject { var a: Int }"),
        Mistake(
            "genericClass", "@Entity final class Thing<T>: ManagedObject { var a: Int }", at: "<T>",
            says: "cannot be generic"),
        Mistake(
            "notAStruct", "@Composite final class Place { var a: Int }", at: "@Composite",
            says: "is for a struct"),
        Mistake(
            "genericComposite", "@Composite struct Place<T> { var a: Int }", at: "<T>",
            says: "cannot be generic"),
        Mistake(
            "emptyComposite", "@Composite struct Place {}", at: "Place", says: "at least one stored property"),
        Mistake(
            "relationshipInComposite",
            "@Composite struct Place { @Relationship(inverse: \"a\") var b: Thing? }",
            at: "@Relationship(inverse: \"a\")", says: "which a composite cannot have"),
        Mistake(
            "optionInComposite", "@Composite struct Place { @Attribute(.unique) var b: Int }",
            at: "@Attribute(.unique)", says: "The elements of a composite cannot be"),
        Mistake(
            "unknownOfNoEnum",
            "@Entity final class Thing: ManagedObject { @Attribute(unknown: .other) var a: String? }",
            at: "@Attribute(unknown: .other)", says: "'String' has none"),
        Mistake(
            "unknownAsDefault",
            "@Entity final class Thing: ManagedObject { @Attribute(unknown: .other) var a: Kind = .other }",
            at: "@Attribute(unknown: .other)", says: "Use another case."),
        Mistake(
            "unknownInComposite", "@Composite struct Place { @Attribute(unknown: .other) var kind: Kind }",
            at: "@Attribute(unknown: .other)", says: "written as a whole"),
        Mistake(
            "caseOfNoString",
            "@Entity final class Thing: ManagedObject { @Attribute(.caseInsensitive) var a: Int? }",
            at: "@Attribute(.caseInsensitive)", says: "only for a String"),
        Mistake(
            "caseOfNoString", "@Composite struct Place { @Attribute(.caseInsensitive) var a: URL }",
            at: "@Attribute(.caseInsensitive)", says: "Remove .caseInsensitive."),
        Mistake(
            "constantElement", "@Composite struct Place { let a: Int = 1 }", at: "= 1",
            says: "cannot be set by a fetch"),
        Mistake(
            "untyped", "@Composite struct Place { var a = 1 }", at: "a", says: "has no written type",
            fixed: "@Composite struct Place { var a: Int = 1 }"),
    ]
}
