import HowdahModel
import Testing

struct DerivationTests {
    @Test(arguments: [
        ("name", "name"), (" place.city ", "place.city"), ("department.name", "department.name"),
        ("canonical:(name)", "canonical:(name)"), ("uppercase:( name )", "uppercase:(name)"),
        ("lowercase:(place.city)", "lowercase:(place.city)"), ("now()", "now()"),
        ("employees.@count", "employees.@count"), ("employees.@sum.salary", "employees.@sum.salary"),
        ("employees.salary.@sum", "employees.@sum.salary"),
        ("sum:(employees.salary)", "employees.@sum.salary"),
        ("sum:(employees.pay.amount)", "employees.@sum.pay.amount"),
    ])
    func formsAreRead(expression: String, spelling: String) throws {
        let derivation = try #require(Derivation(expression))
        #expect(derivation.description == spelling)
        #expect(Derivation(spelling) == derivation)
    }

    @Test(arguments: [
        "", ".", "name.", ".name", "a..b", "now(1)", "@count", "employees.@count.x", "a.b.@count",
        "@count.employees", "employees.@sum", "@sum.employees.salary", "employees.@max.salary",
        "sum:(employees)",
        "canonical:()", "canonical:(a)b", "canonical(name)", "trim:(name)", "a + b",
        "uppercase:(lowercase:(name))",
        "employees.@count.@count", "sum:(a.@sum.b)", "(name)",
    ])
    func otherTextsAreNone(expression: String) {
        #expect(Derivation(expression) == nil)
    }

    private static func issues(
        _ derived: AttributeDescription, _ more: PropertyDescription...
    ) -> [ModelIssue] {
        let place = CompositeDescription(
            "Place", [.init("city", .string, optional: false), .init("size", .double)])
        do {
            _ = try ManagedObjectModel(entities: [
                EntityDescription(
                    "Department",
                    properties: [
                        .attribute("name", .string, optional: false), .attribute("budget", .decimal),
                        .attribute("place", .composite(place), optional: false),
                        .attribute("data", .transformable),
                        .attribute("memory", .string, transient: true), .attribute("level", .integer32),
                        .relationship("employees", to: "Employee", inverse: "department", toMany: true),
                        .relationship("head", to: "Employee", inverse: "heads"), .attribute(derived),
                    ] + more),
                EntityDescription(
                    "Employee",
                    properties: [
                        .attribute("salary", .decimal), .attribute("name", .string, optional: false),
                        .attribute("age", .integer16),
                        .relationship("department", to: "Department", inverse: "employees", optional: false),
                        .relationship("heads", to: "Department", inverse: "head"),
                    ]),
            ])
            return []
        } catch {
            return error.issues
        }
    }

    @Test(arguments: [
        AttributeDescription("x", .string, optional: false, derivation: "name"),
        AttributeDescription("x", .string, optional: false, derivation: "canonical:(place.city)"),
        AttributeDescription("x", .double, derivation: "place.size"),
        AttributeDescription("x", .string, derivation: "head.name"),
        AttributeDescription("x", .string, derivation: "head.department.name"),
        AttributeDescription("x", .date, optional: false, derivation: "now()"),
        AttributeDescription("x", .double, derivation: "now()"),
        AttributeDescription("x", .integer16, optional: false, derivation: "employees.@count"),
        AttributeDescription("x", .decimal, derivation: "employees.@sum.salary"),
        AttributeDescription("x", .integer64, derivation: "employees.@sum.age"),
        AttributeDescription("x", .double, derivation: "sum:(employees.salary)"),
    ])
    func whatFitsIsAccepted(attribute: AttributeDescription) {
        #expect(Self.issues(attribute).isEmpty)
    }

    @Test(arguments: [
        (AttributeDescription("x", .string, derivation: "trim:(name)"), "canonical:(name)"),
        (.init("x", .string, derivation: "nothing"), "Correct the name"),
        (.init("x", .string, derivation: "place.street"), "Correct the name"),
        (.init("x", .string, derivation: "memory"), "not stored as one plain value"),
        (.init("x", .transformable, derivation: "data"), "not stored as one plain value"),
        (.init("x", .string, derivation: "x"), "a derived attribute itself"),
        (.init("x", .integer64, derivation: "level"), "of type integer32"),
        (.init("x", .string, derivation: "employees.name"), "not a stored to-one"),
        (.init("x", .string, derivation: "head"), "ends at a relationship"),
        (.init("x", .string, optional: false, derivation: "head.name"), "Make Department.x optional"),
        (.init("x", .double, optional: false, derivation: "place.size"), "Make Department.x optional"),
        (
            .init("x", .integer32, derivation: "canonical:(level)"),
            "Make Department.level and Department.x Strings"
        ),
        (
            .init("x", .string, derivation: "canonical:(head.name)"),
            "can convert only attributes of Department"
        ),
        (.init("x", .string, derivation: "now()"), "Make Department.x a Date"),
        (.init("x", .integer64, derivation: "head.@count"), "not a stored to-many"),
        (.init("x", .double, derivation: "employees.@count"), "Make Department.x an integer"),
        (
            .init("x", .integer64, derivation: "employees.@sum.salary"),
            "sums Employee.salary, which can have fractions"
        ),
        (.init("x", .string, derivation: "employees.@sum.name"), "Make Employee.name a number"),
        (
            .init("x", .double, derivation: "employees.@sum.department.budget"),
            "sums an attribute across a second relationship"
        ),
        (.init("x", .string, default: "a", derivation: "name"), "Remove the default value"),
        (.init("x", .string, transient: true, derivation: "name"), "Make the attribute stored"),
        (
            .init("x", .string, maximumLength: 3, derivation: "name"),
            "Move the validation rules to that attribute"
        ),
    ])
    func whatDoesNotFitIsNamed(attribute: AttributeDescription, words: String) throws {
        let issues = Self.issues(attribute)
        #expect(issues.map(\.code) == [.invalidDerivation])
        let issue = try #require(issues.first)
        #expect(issue.message.hasPrefix("Department.x: The ") && issue.message.contains(words))
    }

    @Test func derivedFromDerivedAndElementsAreRefused() {
        #expect(
            Self.issues(
                AttributeDescription("x", .string, derivation: "name"),
                .attribute("y", .string, derivation: "canonical:(x)")
            ).map(\.propertyName) == ["y"])
        let place = CompositeDescription(
            "P", [.init("a", .string), .init("b", .string, derivation: "a")])
        #expect(
            Self.issues(
                AttributeDescription("x", .string, derivation: "name"),
                .attribute("p", .composite(place))
            ).map(\.propertyName) == ["p.b"])
    }
}
