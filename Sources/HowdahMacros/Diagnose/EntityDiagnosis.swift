import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// Everything that is wrong with an entity's declaration.
struct EntityDiagnosis {
    private let entity: EntityDeclaration

    init(_ entity: EntityDeclaration) { self.entity = entity }

    var problems: [Problem] {
        let ofClass = classProblems
        return ofClass.isEmpty ? entity.properties.flatMap(problems) + conditionals + initializers : ofClass
    }

    /// What keeps the whole class from being an entity's.
    var classProblems: [Problem] {
        if let generics = entity.syntax.genericParameterClause {
            return [
                Problem(
                    generics, "genericClass",
                    "An entity's class cannot be generic, because its tables are fixed. Remove the generic parameters.",
                    leavesClassIntact: false)
            ]
        }
        guard entity.superclass == nil else { return [] }
        let name = entity.syntax.name
        let clause = InheritanceClauseSyntax(
            colon: .colonToken(trailingTrivia: .space),
            inheritedTypes: [
                InheritedTypeSyntax(type: TypeSyntax("ManagedObject"), trailingTrivia: .space)
            ])
        let fixed = entity.syntax.with(\.name, name.with(\.trailingTrivia, []))
            .with(\.inheritanceClause, clause)
        return [
            Problem(
                name, "noSuperclass",
                "An entity's class must inherit from ManagedObject or from another entity's class. "
                    + "Write 'class \(name.text): ManagedObject'.", leavesClassIntact: false
            ).replacing(entity.syntax, with: fixed, "inherit from ManagedObject")
        ]
    }

    static func notAClass(_ declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax) -> Diagnostic {
        var problem = Problem(
            attribute, "notAClass",
            "@Entity is for a class that inherits from ManagedObject. Use @Composite for a struct of values.")
        if declaration.is(StructDeclSyntax.self) {
            let renamed = attribute.with(
                \.attributeName, TypeSyntax(IdentifierTypeSyntax(name: .identifier("Composite"))))
            problem = problem.replacing(attribute, with: renamed, "use @Composite")
        }
        return problem.diagnostic
    }

    private var initializers: [Problem] {
        entity.initializers.map { initializer in
            let keyword = initializer.initKeyword
            let modifier = DeclModifierSyntax(name: .keyword(.convenience), trailingTrivia: .space)
            let bare = initializer.with(\.leadingTrivia, [])
            let fixed = bare.with(\.modifiers, bare.modifiers + [modifier])
            return Problem(
                keyword, "designatedInitializer",
                "An entity's class cannot add designated initializers to those of ManagedObject. Write 'convenience init', "
                    + "and call self.init(context:) in it."
            ).replacing(initializer, with: fixed, "make it a convenience initializer")
        }
    }

    private var conditionals: [Problem] {
        entity.conditionals.map {
            Problem(
                $0, "conditionalProperty",
                "An entity's properties cannot depend on #if, because a store has one model. Move the "
                    + "properties out of the #if."
            )
        }
    }

    private func problems(_ property: PropertyDeclaration) -> [Problem] {
        let storage = StorageDiagnosis(property, isEntity: true).problems
        guard storage.isEmpty else { return storage }
        if entity.overriddenHooks.contains(property.name) {
            return [
                Problem(
                    property.binding.pattern, "nameOfHook",
                    "'\(property.name)' is also a method of ManagedObject that this class overrides. Rename "
                        + "the property, and keep the column of an existing store with 'column: \"…\"'.")
            ]
        }
        if let problem = TypeDiagnosis(property).problem { return [problem] }
        let repeated = entity.properties.filter { $0.name == property.name }.count > 1
        // The compiler says that a name is declared twice; there is nothing to add.
        return repeated ? [] : RelationshipDiagnosis(property).problems
    }
}
