import SwiftDiagnostics
import SwiftSyntax

/// Everything that is wrong with a composite's declaration.
struct CompositeDiagnosis {
    private let composite: CompositeDeclaration

    init(_ composite: CompositeDeclaration) { self.composite = composite }

    var problems: [Problem] {
        if let generics = composite.syntax.genericParameterClause {
            return [
                Problem(
                    generics, "genericComposite",
                    "A composite cannot be generic. Remove the generic parameters.")
            ]
        }
        guard !composite.properties.isEmpty else {
            return [
                Problem(
                    composite.syntax.name, "emptyComposite",
                    "A composite needs at least one stored property. Add a stored property.")
            ]
        }
        return composite.properties.flatMap { property in
            StorageDiagnosis(property, isEntity: false).problems + misplaced(property)
                + [property.relationshipMark == nil ? TypeDiagnosis(property).problem : nil].compactMap(
                    \.self)
        }
    }

    static func notAStruct(_ declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax) -> Diagnostic {
        Problem(
            attribute, "notAStruct",
            "@Composite is for a struct of values. Use @Entity for a class whose objects have an identity."
        ).diagnostic
    }

    private func misplaced(_ property: PropertyDeclaration) -> [Problem] {
        var problems: [Problem] = []
        if let mark = property.relationshipMark {
            problems.append(
                Problem(
                    mark.syntax, "relationshipInComposite",
                    "'\(property.name)' is a relationship, which a composite cannot have. Declare '\(property.name)' in the entity."
                ))
        }
        if let mark = property.attributeMark,
            ["unique", "indexed", "transient"].contains(where: mark.has)
        {
            problems.append(
                Problem(
                    mark.syntax, "optionInComposite",
                    "The elements of a composite cannot be .unique, .indexed or .transient. Remove the option."
                ))
        }
        if let mark = property.attributeMark, mark.arguments["unknown"] != nil {
            problems.append(
                Problem(
                    mark.syntax, "unknownInComposite",
                    "A composite is written as a whole, so it cannot keep an unknown case of an enum. Declare '\(property.name)' in the "
                        + "entity, or remove 'unknown:'."))
        }
        if property.isLet, let initializer = property.binding.initializer {
            problems.append(
                Problem(
                    initializer, "constantElement",
                    "'\(property.name)' cannot be set by a fetch, because it is a 'let' with a value. Make "
                        + "'\(property.name)' a 'var', or remove the value."))
        }
        return problems
    }
}
