import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Relationship`: what `@Entity` reads, and a function that has the compiler look for the inverse.
enum RelationshipMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        if let problem = MarkDiagnosis(node, on: declaration, in: context).problem {
            context.diagnose(problem.diagnostic)
            return []
        }
        guard let property = declaration.as(VariableDeclSyntax.self).flatMap(PropertyDeclaration.init),
            let owner = context.lexicalContext.first?.as(ClassDeclSyntax.self), let shape = property.shape
        else { return [] }
        switch shape {
        case .attribute: return []
        case .toOne(let destination, let mark), .toMany(let destination, _, let mark):
            guard let inverse = mark.inverse, !inverse.isEmpty else { return [] }
            return [
                """
                nonisolated private static func __inverseOf\(raw: property.name)(_ destination: \(raw: destination)) {
                    var inverse = destination.\(raw: inverse)
                    Howdah._Emitted.inverse(&inverse, leadsTo: \(raw: owner.name.text).self)
                }
                """
            ]
        }
    }
}
