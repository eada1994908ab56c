import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@_EntityProperty`, which `@Entity` puts on each property: its getter and setter.
enum EntityPropertyMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let property = declaration.as(VariableDeclSyntax.self).flatMap(PropertyDeclaration.init),
            let shape = property.shape, let slot = node.labelledArguments[""]
        else { return [] }
        return shape.accessors(field: property.field, slot: slot).map { "\(raw: $0)" }
    }
}
