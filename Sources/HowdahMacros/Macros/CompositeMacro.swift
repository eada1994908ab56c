import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Composite`: a struct's conformance to `CompositeValue`, in an extension that leaves it its memberwise initializer.
enum CompositeMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let syntax = declaration.as(StructDeclSyntax.self) else {
            context.diagnose(CompositeDiagnosis.notAStruct(declaration, node))
            return []
        }
        let composite = CompositeDeclaration(syntax, attribute: node)
        let problems = CompositeDiagnosis(composite).problems
        for problem in problems { context.diagnose(problem.diagnostic) }
        guard problems.isEmpty else { return [] }
        let code: DeclSyntax = "\(raw: composite.conformance(of: type.trimmedDescription, adding: protocols))"
        return code.as(ExtensionDeclSyntax.self).map { [$0] } ?? []
    }
}

extension CompositeMacro: MemberMacro {
    /// An extension of a nested struct does not see the types beside it; these names are made where they are seen.
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let syntax = declaration.as(StructDeclSyntax.self) else { return [] }
        let composite = CompositeDeclaration(syntax, attribute: node)
        guard CompositeDiagnosis(composite).problems.isEmpty else { return [] }
        return composite.typeNames.map { "\(raw: $0)" }
    }
}
