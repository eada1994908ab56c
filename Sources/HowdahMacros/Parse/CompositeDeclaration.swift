import SwiftSyntax

/// What `@Composite` reads from a struct.
struct CompositeDeclaration {
    let syntax: StructDeclSyntax
    let name: String
    /// The composite's name, where the attribute gives another than the struct's.
    let compositeName: String?
    let access: String
    let properties: [PropertyDeclaration]

    init(_ syntax: StructDeclSyntax, attribute: AttributeSyntax) {
        self.syntax = syntax
        name = syntax.name.text.withoutBackticks
        compositeName = attribute.labelledArguments[""]
        let modifiers = syntax.modifiers.map(\.name.text)
        access = ["public", "package"].first(where: modifiers.contains).map { "\($0) " } ?? ""
        properties = syntax.memberBlock.members.compactMap {
            $0.decl.as(VariableDeclSyntax.self).flatMap(PropertyDeclaration.init)
        }
    }
}
