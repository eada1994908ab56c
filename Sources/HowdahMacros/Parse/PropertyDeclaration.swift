import HowdahNames
import SwiftSyntax

/// One stored property of a class or struct, as it is written.
struct PropertyDeclaration {
    let syntax: VariableDeclSyntax
    let binding: PatternBindingSyntax
    /// The name without backticks.
    let name: String
    /// The name as code spells it.
    let spelling: String
    /// The type as it is written; nil where there is no annotation.
    let type: TypeSyntax?
    let initialValue: ExprSyntax?
    /// `@Attribute` and `@Relationship`, in order.
    let marks: [PropertyMark]
    /// Attributes with a capital letter that are not the library's: wrappers, or macros of others.
    let strangers: [AttributeSyntax]

    /// Nil where nothing is stored: computed and type properties.
    init?(_ syntax: VariableDeclSyntax) {
        guard let binding = syntax.bindings.first else { return nil }
        let names = syntax.modifiers.map(\.name.text)
        guard !names.contains("static"), !names.contains("class"), !binding.isComputed else { return nil }
        self.syntax = syntax
        self.binding = binding
        let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier
        spelling = identifier?.text ?? ""
        name = spelling.withoutBackticks
        type = binding.typeAnnotation?.type
        initialValue = binding.initializer?.value
        let attributes = syntax.attributes.compactMap { $0.as(AttributeSyntax.self) }
        marks = attributes.compactMap(PropertyMark.init)
        strangers = attributes.filter { PropertyMark($0) == nil && $0.looksLikeWrapper }
    }

    var relationshipMark: PropertyMark? { marks.first { $0.kind == .relationship } }
    var attributeMark: PropertyMark? { marks.first { $0.kind == .attribute } }

    var isLet: Bool { syntax.bindingSpecifier.tokenKind == .keyword(.let) }

    /// A modifier that changes how the property is stored.
    var storageModifier: DeclModifierSyntax? {
        syntax.modifiers.first { ["lazy", "weak", "unowned", "override"].contains($0.name.text) }
    }

    /// Whether the store computes the value.
    var isDerived: Bool { attributeMark?.arguments["derived"] != nil }

    /// Whether code outside of the class sees the getter and not the setter.
    var hasPrivateSetter: Bool {
        !isPrivate && syntax.modifiers.contains { $0.name.text == "private" && $0.detail != nil }
    }

    var isPrivate: Bool { syntax.modifiers.contains { $0.name.text == "private" && $0.detail == nil } }

    var refusedType: RefusedType? {
        // An array of values is an attribute, and nothing that a relationship leads to.
        guard let type, relationshipMark != nil || !type.isArrayOfValues else { return nil }
        return RefusedType(type)
    }

    /// What the property stores, or nil where it cannot be emitted.
    var shape: PropertyShape? {
        guard !name.isEmpty, let type, !isLet, syntax.bindings.count == 1, storageModifier == nil,
            refusedType == nil, binding.accessorBlock == nil, strangers.isEmpty, marks.count <= 1,
            !Self.isReserved(name)
        else { return nil }
        guard let mark = relationshipMark else {
            return type.toManyMember == nil ? .attribute(type: type.trimmedDescription) : nil
        }
        if let toMany = type.toManyMember {
            return initialValue == nil
                ? .toMany(destination: toMany.member, isOrdered: toMany.isOrdered, mark) : nil
        }
        guard let wrapped = type.optionalWrapped, wrapped.toManyMember == nil, initialValue == nil,
            !(wrapped.lastName.map(RefusedType.values.contains) ?? false)
        else { return nil }
        return .toOne(destination: wrapped.trimmedDescription, mark)
    }
}

/// What a property stores.
enum PropertyShape {
    case attribute(type: String)
    case toOne(destination: String, PropertyMark)
    case toMany(destination: String, isOrdered: Bool, PropertyMark)
}

extension PatternBindingSyntax {
    /// Whether the property has a getter of its own; observers leave it stored.
    fileprivate var isComputed: Bool {
        switch accessorBlock?.accessors {
        case .getter: true
        case .accessors(let accessors):
            accessors.contains { !["willSet", "didSet"].contains($0.accessorSpecifier.text) }
        case nil: false
        }
    }
}

extension PropertyDeclaration {
    /// Indicates whether the library reserves the name.
    static func isReserved(_ name: String) -> Bool {
        name.hasPrefix("_") || ObjectMembers.names.contains(name) || name == "objectID"
    }
}
