import SwiftSyntax

/// What `@Entity` reads from a class; everything that is emitted or refused follows from this value.
struct EntityDeclaration {
    /// The class's declaration, for the places of diagnostics.
    let syntax: ClassDeclSyntax
    let className: String
    /// The entity's name, where the attribute gives another than the class's.
    let entityName: String?
    /// The superclass as it is written; nil where the class has none.
    let superclass: TypeSyntax?
    /// The superclass's last name, where it is an entity's class of its own.
    let superentity: String?
    let isFinal: Bool
    /// The modifier of emitted members, with a space behind it.
    let access: String
    /// The modifier of emitted members that override.
    let overrideAccess: String
    /// The other arguments of `@Entity`, by label.
    let arguments: [String: String]
    let properties: [PropertyDeclaration]
    let conditionals: [IfConfigDeclSyntax]
    /// Designated initializers of the class's own.
    let initializers: [InitializerDeclSyntax]
    /// The methods without parameters that the class overrides, by name.
    let overriddenHooks: Set<String>

    /// The properties that can be emitted, with their shapes.
    var members: [PropertyMember] {
        properties.filter { $0.shape != nil }.enumerated().compactMap { offset, property in
            property.shape.map { PropertyMember(property: property, shape: $0, offset: offset) }
        }
    }

    /// Where the properties' slots begin: nil in a root, whose slots are literals.
    var firstSlot: String? {
        superentity.map {
            let name = superclass?.trimmedDescription ?? $0
            return "\(name)._endSlot(Howdah._Emitted.Of<\(name)>.self)"
        }
    }

    func slot(_ offset: Int) -> String { firstSlot.map { "\($0) + \(offset)" } ?? "\(offset)" }
}

/// A property that can be emitted, and its place among them.
struct PropertyMember {
    let property: PropertyDeclaration
    let shape: PropertyShape
    let offset: Int
}

extension EntityDeclaration {
    init(_ syntax: ClassDeclSyntax, attribute: AttributeSyntax) {
        self.syntax = syntax
        className = syntax.name.text.withoutBackticks
        superclass = syntax.inheritanceClause?.inheritedTypes.first?.type
        superentity = superclass?.lastName.flatMap { $0 == "ManagedObject" ? nil : $0 }
        let modifiers = syntax.modifiers.map(\.name.text)
        isFinal = modifiers.contains("final")
        (access, overrideAccess) =
            if modifiers.contains("open") {
                ("public ", "open ")
            } else if modifiers.contains("public") {
                ("public ", "public ")
            } else if modifiers.contains("package") {
                ("package ", "package ")
            } else {
                ("", "")
            }
        let given = attribute.labelledArguments
        entityName = given[""]
        arguments = given.filter { $0.key != "" }
        properties = syntax.memberBlock.members.compactMap {
            $0.decl.as(VariableDeclSyntax.self).flatMap(PropertyDeclaration.init)
        }
        conditionals = syntax.memberBlock.members.compactMap { $0.decl.as(IfConfigDeclSyntax.self) }
            .filter(\.declaresVariables)
        initializers = syntax.memberBlock.members.compactMap { $0.decl.as(InitializerDeclSyntax.self) }
            .filter { initializer in
                let modifiers = initializer.modifiers.map(\.name.text)
                return ["convenience", "required", "override"].allSatisfy { !modifiers.contains($0) }
            }
        overriddenHooks = Set(
            syntax.memberBlock.members.compactMap { $0.decl.as(FunctionDeclSyntax.self) }
                .filter {
                    $0.modifiers.contains { $0.name.text == "override" }
                        && $0.signature.parameterClause.parameters.isEmpty
                }
                .map(\.name.text.withoutBackticks))
    }
}

extension IfConfigDeclSyntax {
    fileprivate var declaresVariables: Bool {
        clauses.contains { clause in
            guard case .decls(let members) = clause.elements else { return false }
            return members.contains {
                $0.decl.as(VariableDeclSyntax.self).flatMap(PropertyDeclaration.init) != nil
            }
        }
    }
}
