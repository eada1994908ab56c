import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct Plugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        EntityMacro.self, EntityPropertyMacro.self, AttributeMacro.self, RelationshipMacro.self,
        CompositeMacro.self,
    ]
}
