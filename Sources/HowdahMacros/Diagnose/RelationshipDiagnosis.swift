import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// What is wrong with a relationship, or with a property that should be marked as one.
struct RelationshipDiagnosis {
    private let property: PropertyDeclaration

    init(_ property: PropertyDeclaration) { self.property = property }

    var problems: [Problem] {
        guard let type = property.type else { return [] }
        guard let mark = property.relationshipMark else { return unmarked(type).map { [$0] } ?? [] }
        return [
            optionality(type), initialValue, missingInverse(mark), inverseName(mark), required(mark, type),
            optional(mark, type),
        ]
        .compactMap(\.self)
    }

    private func unmarked(_ type: TypeSyntax) -> Problem? {
        guard type.toManyMember != nil || type.optionalWrapped?.toManyMember != nil else { return nil }
        let bare = property.syntax.with(\.leadingTrivia, [])
        let marked = bare.with(
            \.attributes, [.attribute("@Relationship(inverse: \"<#name#>\") ")] + bare.attributes)
        return Problem(
            type, "unmarked",
            "'\(property.name)' is a relationship, but has no @Relationship. Mark it with @Relationship(inverse: \"…\")."
        ).replacing(property.syntax, with: marked, "mark it with @Relationship")
    }

    private func optionality(_ type: TypeSyntax) -> Problem? {
        if let wrapped = type.optionalWrapped {
            guard wrapped.toManyMember != nil else { return nil }
            return Problem(
                type, "optionalToMany", "A to-many relationship is never nil, only empty. Remove the '?'."
            ).replacing(
                type, with: wrapped.trimmed.with(\.trailingTrivia, type.trailingTrivia), "remove the '?'")
        }
        guard type.toManyMember == nil else { return nil }
        let optional = TypeSyntax(OptionalTypeSyntax(wrappedType: type.trimmed))
            .with(\.trailingTrivia, type.trailingTrivia)
        return Problem(
            type, "nonOptionalToOne",
            "A to-one relationship must be Optional, because its object may not be set yet. Write "
                + "'\(type.trimmedDescription)?', with @Relationship(.required) if it must not stay nil."
        ).replacing(type, with: optional, "write '\(type.trimmedDescription)?'")
    }

    private var initialValue: Problem? {
        guard let initializer = property.binding.initializer else { return nil }
        let fixed = property.binding.with(\.initializer, nil)
            .with(\.typeAnnotation, property.binding.typeAnnotation?.with(\.trailingTrivia, []))
        return Problem(
            initializer, "initialValue",
            "A relationship begins empty. Remove the initial value of '\(property.name)'."
        ).replacing(property.binding, with: fixed, "remove the initial value")
    }

    private func missingInverse(_ mark: PropertyMark) -> Problem? {
        guard mark.arguments["inverse"] == nil else { return nil }
        let argument = LabeledExprSyntax(
            label: "inverse", colon: .colonToken(trailingTrivia: .space),
            expression: ExprSyntax("\"<#name#>\""))
        var list = mark.syntax.arguments?.as(LabeledExprListSyntax.self) ?? []
        if let last = list.indices.last {
            list[last] = list[last].with(\.trailingComma, .commaToken(trailingTrivia: .space))
        }
        list.append(argument)
        let fixed = AttributeSyntax(
            attributeName: mark.syntax.attributeName.trimmed, leftParen: .leftParenToken(),
            arguments: .argumentList(list), rightParen: .rightParenToken(),
            trailingTrivia: mark.syntax.trailingTrivia)
        return Problem(
            mark.syntax, "missingInverse",
            "The relationship does not name its inverse. Add inverse: \"…\" with the name of the relationship at the "
                + "destination, or inverse: nil if it has none."
        ).replacing(mark.syntax, with: fixed, "add 'inverse:'")
    }

    private func inverseName(_ mark: PropertyMark) -> Problem? {
        guard let given = mark.arguments["inverse"], given != "nil" else { return nil }
        if let name = mark.inverse, let first = name.first, first.isLetter || first == "_",
            name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
        {
            return nil
        }
        return Problem(
            mark.syntax, "inverseName",
            "The argument inverse: is not a string literal with the name of a property. Write for example inverse: \"employees\"."
        )
    }

    private func required(_ mark: PropertyMark, _ type: TypeSyntax) -> Problem? {
        guard mark.has("required"), type.toManyMember != nil else { return nil }
        return Problem(
            mark.syntax, "requiredToMany",
            ".required is only for to-one relationships. Use minCount: 1 for a to-many relationship that needs members."
        )
    }

    private func optional(_ mark: PropertyMark, _ type: TypeSyntax) -> Problem? {
        guard mark.has("optional"), type.toManyMember == nil || mark.arguments["minCount"] == nil else {
            return nil
        }
        return Problem(
            mark.syntax, "optionalWithoutMinimum",
            ".optional is only for to-many relationships with minCount. Other relationships may be nil or empty, "
                + "unless they have .required. Remove .optional."
        )
    }
}
