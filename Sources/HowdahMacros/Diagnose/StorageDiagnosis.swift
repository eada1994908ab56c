import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// What is wrong with the way a property of an entity or a composite is stored.
struct StorageDiagnosis {
    private let property: PropertyDeclaration
    private let isEntity: Bool

    init(_ property: PropertyDeclaration, isEntity: Bool) {
        self.property = property
        self.isEntity = isEntity
    }

    var problems: [Problem] {
        let found = [
            several, constant, modifier, observers, stranger, untyped, reserved, twoMarks, derivedValue,
        ]
        return found.compactMap(\.self)
    }

    private var several: Problem? {
        if property.name.isEmpty {
            return Problem(
                property.binding.pattern, "pattern",
                "Properties cannot be declared as a tuple. Declare each property with its own name.")
        }
        guard property.syntax.bindings.count > 1 else { return nil }
        return Problem(
            property.syntax.bindings, "severalProperties",
            "'\(property.name)' is declared together with other properties. Declare each property on its own line."
        )
    }

    private var constant: Problem? {
        guard isEntity, property.isLet else { return nil }
        let specifier = property.syntax.bindingSpecifier
        let fixed = specifier.with(\.tokenKind, .keyword(.var))
        return Problem(
            specifier, "constant",
            "'\(property.name)' must be a 'var', because a fetch sets its value later. Use 'private(set) var' if other code "
                + "must not set it."
        ).replacing(specifier, with: fixed, "replace 'let' with 'var'")
    }

    private var modifier: Problem? {
        property.storageModifier.map {
            Problem(
                $0, "storageModifier",
                "'\(property.name)' cannot be '\($0.name.text)', because Howdah stores its value. Remove the modifier."
            )
        }
    }

    private var observers: Problem? {
        guard isEntity, let block = property.binding.accessorBlock else { return nil }
        let fixed = property.binding.with(\.accessorBlock, nil)
        return Problem(
            block, "observers",
            "'\(property.name)' cannot have willSet or didSet, because Howdah writes its accessors. "
                + "Use willSave() or a computed property."
        ).replacing(property.binding, with: fixed, "remove the observers")
    }

    private var stranger: Problem? {
        property.strangers.first.map {
            Problem(
                $0, "wrapper",
                "'\(property.name)' cannot have @\($0.attributeName.trimmedDescription), because Howdah stores its value. "
                    + "Use only @Attribute or @Relationship on a stored property.")
        }
    }

    private var untyped: Problem? {
        guard property.type == nil, !property.name.isEmpty else { return nil }
        let problem = Problem(
            property.binding.pattern, "untyped",
            "'\(property.name)' has no written type. Write the type, as in 'var \(property.spelling): "
                + "String'.")
        guard let type = property.initialValue?.literalType else { return problem }
        let fixed = property.binding
            .with(\.pattern, property.binding.pattern.with(\.trailingTrivia, []))
            .with(
                \.typeAnnotation,
                TypeAnnotationSyntax(
                    colon: .colonToken(trailingTrivia: .space), type: TypeSyntax("\(raw: type)"),
                    trailingTrivia: .space))
        return problem.replacing(property.binding, with: fixed, "write ': \(type)'")
    }

    private var reserved: Problem? {
        guard isEntity, PropertyDeclaration.isReserved(property.name) else { return nil }
        let pattern = property.binding.pattern
        return Problem(
            pattern, "reservedName",
            (property.name.hasPrefix("_")
                ? "Names that begin with an underscore are reserved for Howdah. Rename '\(property.name)'"
                : property.name == "objectID"
                    ? "'\(property.name)' means the object's id in predicates. Choose another name"
                    : "'\(property.name)' has another meaning in Swift. Choose another name")
                + ", and keep the column of an existing store with 'column: \"…\"'.")
    }

    private var twoMarks: Problem? {
        guard property.marks.count > 1 else { return nil }
        let same = property.attributeMark == nil || property.relationshipMark == nil
        return Problem(
            property.marks[1].syntax, "twoMarks",
            same
                ? "'\(property.name)' is marked twice. Put all arguments into one mark."
                : "'\(property.name)' cannot be both an attribute and a relationship. Remove one of the two marks."
        )
    }

    private var derivedValue: Problem? {
        guard property.isDerived, let initializer = property.binding.initializer else { return nil }
        let fixed = property.binding.with(\.initializer, nil)
        return Problem(
            initializer, "derivedValue",
            "'\(property.name)' is derived, so the store computes its value for new objects too. "
                + "Remove the initial value."
        ).replacing(property.binding, with: fixed, "remove the initial value")
    }
}

extension ExprSyntax {
    /// The type that Swift gives a literal without another context.
    fileprivate var literalType: String? {
        if self.is(StringLiteralExprSyntax.self) { return "String" }
        if self.is(IntegerLiteralExprSyntax.self) { return "Int" }
        if self.is(FloatLiteralExprSyntax.self) { return "Double" }
        return self.is(BooleanLiteralExprSyntax.self) ? "Bool" : nil
    }
}
