import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// What is wrong with a property's type, as far as its spelling tells; the compiler finds the rest.
struct TypeDiagnosis {
    private let property: PropertyDeclaration

    init(_ property: PropertyDeclaration) { self.property = property }

    var problem: Problem? {
        guard let type = property.type else { return nil }
        let isRelationship = property.relationshipMark != nil
        let spelling = type.trimmedDescription
        switch property.refusedType {
        case .collection(let element) where isRelationship:
            return Problem(
                type, "collection", "A to-many relationship must be a ToMany. Write 'ToMany<\(element)>'."
            ).replacing(type, with: "ToMany<\(raw: element)>" as TypeSyntax, "write 'ToMany<\(element)>'")
        case .collection(let element):
            return Problem(
                type, "collection",
                "'\(spelling)' cannot be stored in one attribute. For several objects, use @Relationship(inverse: \"…\") with "
                    + "the type ToMany<\(element)>. For several values, use an array of a simple type, such as [String], or a "
                    + "separate entity.")
        case .implicitlyUnwrapped(let wrapped):
            let optional = TypeSyntax(OptionalTypeSyntax(wrappedType: wrapped.trimmed))
            return Problem(
                type, "implicitlyUnwrapped",
                "A property that may be nil must be Optional. Write '\(optional.trimmedDescription)'."
            ).replacing(type, with: optional, "write '\(optional.trimmedDescription)'")
        case .toManyOfNothing:
            return Problem(
                type, "toManyOfNothing",
                "ToMany has no entity. Name the entity of its objects, as in ToMany<Employee>.")
        case .neighbour(let neighbour):
            return Problem(
                type, "unsupportedType", "'\(spelling)' cannot be stored. Write '\(neighbour)'."
            ).replacing(type, with: "\(raw: neighbour)" as TypeSyntax, "write '\(neighbour)'")
        case .other:
            return Problem(
                type, "unsupportedType",
                "'\(spelling)' cannot be stored. Use Bool, an integer, Double, Float, Decimal, String, Date, Data, UUID, URL or "
                    + "an array of one of these. Or use an enum with AttributeEnum, a struct with AttributeJSON or a @Composite "
                    + "struct. Each of these may be Optional.")
        case nil:
            return isRelationship ? relationshipToValue(type) : caseOfNoString(type) ?? unknownCase(type)
        }
    }

    private func caseOfNoString(_ type: TypeSyntax) -> Problem? {
        guard let mark = property.attributeMark, mark.has("caseInsensitive"),
            let name = (type.optionalWrapped ?? type).lastName, name != "String",
            RefusedType.values.contains(name)
        else { return nil }
        return Problem(
            mark.syntax, "caseOfNoString",
            ".caseInsensitive is only for a String, and '\(name)' is a different type. Remove .caseInsensitive."
        )
    }

    private func unknownCase(_ type: TypeSyntax) -> Problem? {
        guard let mark = property.attributeMark, let unknown = mark.arguments["unknown"] else { return nil }
        if let name = (type.optionalWrapped ?? type).lastName, RefusedType.values.contains(name) {
            return Problem(
                mark.syntax, "unknownOfNoEnum",
                "'unknown:' names a case of an enum, and '\(name)' has none. Remove 'unknown:'.")
        }
        let words = { (text: String) in text.split(separator: ".").last }
        guard let value = property.initialValue?.trimmedDescription, words(value) == words(unknown) else {
            return nil
        }
        return Problem(
            mark.syntax, "unknownAsDefault",
            "The case for unknown values cannot be stored, so it cannot be the initial value. Use another case."
        )
    }

    private func relationshipToValue(_ type: TypeSyntax) -> Problem? {
        guard let mark = property.relationshipMark, let name = (type.optionalWrapped ?? type).lastName,
            RefusedType.values.contains(name)
        else { return nil }
        let others = property.syntax.attributes.filter {
            $0.trimmedDescription != mark.syntax.trimmedDescription
        }
        return Problem(
            mark.syntax, "relationshipToValue",
            "A relationship refers to an entity's class, but '\(name)' is a type of values. Remove @Relationship."
        ).replacing(property.syntax, with: property.syntax.with(\.attributes, others), "remove @Relationship")
    }
}
