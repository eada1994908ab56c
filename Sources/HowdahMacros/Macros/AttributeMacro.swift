import SwiftSyntax
import SwiftSyntaxMacros

/// `@Attribute`, which only `@Entity` and `@Composite` read.
enum AttributeMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        if let problem = MarkDiagnosis(node, on: declaration, in: context).problem {
            context.diagnose(problem.diagnostic)
        }
        return []
    }
}
