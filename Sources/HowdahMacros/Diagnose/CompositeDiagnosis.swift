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
                    "a composite cannot be generic; remove the generic parameters")
            ]
        }
        guard !composite.properties.isEmpty else {
            return [
                Problem(
                    composite.syntax.name, "emptyComposite", "a composite needs at least one stored property")
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
            "@Composite declares a struct of values; a class with an identity of its own is an @Entity"
        ).diagnostic
    }

    private func misplaced(_ property: PropertyDeclaration) -> [Problem] {
        var problems: [Problem] = []
        if let mark = property.relationshipMark {
            problems.append(
                Problem(
                    mark.syntax, "relationshipInComposite",
                    "a composite has no relationships; declare '\(property.name)' in the entity"))
        }
        if let mark = property.attributeMark,
            ["unique", "indexed", "transient"].contains(where: mark.has)
        {
            problems.append(
                Problem(
                    mark.syntax, "optionInComposite",
                    ".unique, .indexed and .transient are for an entity's own attributes, not for a composite's elements"
                ))
        }
        if let mark = property.attributeMark, mark.arguments["unknown"] != nil {
            problems.append(
                Problem(
                    mark.syntax, "unknownInComposite",
                    "a composite is written as a whole, so that an unknown value could not stay; declare '\(property.name)' in the "
                        + "entity, or remove 'unknown:'"))
        }
        if property.isLet, let initializer = property.binding.initializer {
            problems.append(
                Problem(
                    initializer, "constantElement",
                    "'\(property.name)' could never be loaded, because it is a 'let' with a value; make it a 'var' or "
                        + "remove the value"))
        }
        return problems
    }
}
