import SwiftSyntax
import SwiftSyntaxMacros

/// `@Attribute`, which only `@Entity` and `@Composite` read.
enum AttributeMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}
