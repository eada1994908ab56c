import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// What is wrong with the place of an `@Attribute` or `@Relationship`, which nobody would read there.
struct MarkDiagnosis {
    private let mark: AttributeSyntax
    private let declaration: DeclSyntax
    private let owner: Syntax?

    init(
        _ mark: AttributeSyntax, on declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) {
        self.mark = mark
        self.declaration = DeclSyntax(declaration)
        owner = context.lexicalContext.first
    }

    var problem: Problem? {
        let name = "@\(mark.attributeName.trimmedDescription)"
        guard declaration.as(VariableDeclSyntax.self).flatMap(PropertyDeclaration.init) != nil else {
            return Problem(
                mark, "notStored",
                "\(name) is only for stored properties of an entity, and nothing is stored here. Remove "
                    + "\(name).")
        }
        let attributes =
            owner?.as(ClassDeclSyntax.self)?.attributes ?? owner?.as(StructDeclSyntax.self)?.attributes
        let names = attributes?.compactMap { $0.as(AttributeSyntax.self)?.attributeName.lastName } ?? []
        if names.contains("Entity") || names.contains("Composite") { return nil }
        return Problem(
            mark, "outsideEntity",
            "\(name) has no effect here, because this is not an entity. Mark the class with @Entity.")
    }
}
