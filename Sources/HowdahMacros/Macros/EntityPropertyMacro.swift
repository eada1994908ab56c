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
        let accessors = shape.accessors(
            field: property.field, slot: slot,
            keeping: property.unknownCase.map { ($0, property.storedField) })
        // What the store computes cannot be set: there is a getter only.
        return accessors.prefix(property.isDerived ? 1 : 2).map { "\(raw: $0)" }
    }
}
