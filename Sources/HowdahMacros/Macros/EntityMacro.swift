import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Entity`: the members of a managed object class, and accessors for each of its properties.
enum EntityMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let syntax = declaration.as(ClassDeclSyntax.self) else {
            context.diagnose(EntityDiagnosis.notAClass(declaration, node))
            return []
        }
        let entity = EntityDeclaration(syntax, attribute: node)
        let problems = EntityDiagnosis(entity).problems
        for problem in problems { context.diagnose(problem.diagnostic) }
        guard problems.allSatisfy(\.leavesClassIntact) else { return [] }
        return (entity.descriptionMembers + entity.keyPathMembers + entity.storageMembers).map {
            "\(raw: $0)"
        }
    }
}

extension EntityMacro: MemberAttributeMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard let syntax = declaration.as(ClassDeclSyntax.self),
            let property = member.as(VariableDeclSyntax.self).flatMap(PropertyDeclaration.init),
            property.shape != nil
        else { return [] }
        let entity = EntityDeclaration(syntax, attribute: node)
        guard EntityDiagnosis(entity).classProblems.isEmpty,
            let place = entity.members.first(where: { $0.property.name == property.name })
        else { return [] }
        return ["@_EntityProperty(\(raw: entity.slot(place.offset)))"]
    }
}

extension EntityMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let syntax = declaration.as(ClassDeclSyntax.self) else { return [] }
        let entity = EntityDeclaration(syntax, attribute: node)
        guard EntityDiagnosis(entity).classProblems.isEmpty,
            let peer = entity.peer(isNested: !context.lexicalContext.isEmpty)
        else { return [] }
        return ["\(raw: peer)"]
    }
}
