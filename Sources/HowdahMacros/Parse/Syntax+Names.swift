import SwiftParser
import SwiftSyntax

extension TypeSyntax {
    /// The last name of a possibly qualified type.
    var lastName: String? {
        self.as(IdentifierTypeSyntax.self)?.name.text ?? self.as(MemberTypeSyntax.self)?.name.text
    }

    var genericArguments: [TypeSyntax] {
        let clause =
            self.as(IdentifierTypeSyntax.self)?.genericArgumentClause
            ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause
        return clause?.arguments.compactMap { $0.argument.as(TypeSyntax.self) } ?? []
    }

    /// `T` of `T?`, `Optional<T>` and `Swift.Optional<T>`; nil of any other type.
    var optionalWrapped: TypeSyntax? {
        if let sugared = self.as(OptionalTypeSyntax.self) { return sugared.wrappedType }
        guard lastName == "Optional", genericArguments.count == 1 else { return nil }
        return genericArguments.first
    }

    /// Whether only the compiler knows what the type is: an enum, a composite, or one that is stored as JSON.
    var isUnknown: Bool {
        guard let name = (optionalWrapped ?? self).lastName else { return false }
        return name != "Array" && !RefusedType.values.contains(name)
    }

    /// Whether the type is an array, or an optional one, of a type that attributes have.
    var isArrayOfValues: Bool {
        let type = optionalWrapped ?? self
        let element =
            type.as(ArrayTypeSyntax.self)?.element
            ?? (type.lastName == "Array" ? type.genericArguments.first : nil)
        return element?.lastName.map(RefusedType.values.contains) ?? false
    }

    /// The member type of `ToMany<Member>` and `OrderedToMany<Member>`.
    var toManyMember: (member: String, isOrdered: Bool)? {
        guard let name = lastName, name == "ToMany" || name == "OrderedToMany",
            let member = genericArguments.first
        else { return nil }
        return (member.trimmedDescription, name == "OrderedToMany")
    }
}

extension AttributeSyntax {
    /// The arguments as they are written, by label; the one without a label under the empty text.
    var labelledArguments: [String: String] {
        let list = arguments?.as(LabeledExprListSyntax.self) ?? []
        return Dictionary(
            list.map { ($0.label?.text ?? "", $0.expression.trimmedDescription) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Whether the attribute is named as types are, which wrappers and macros of others have in common.
    var looksLikeWrapper: Bool {
        guard let name = attributeName.lastName, !name.hasPrefix("_") else { return false }
        return name.first?.isUppercase ?? false
    }
}

extension String {
    var withoutBackticks: String { hasPrefix("`") && hasSuffix("`") ? String(dropFirst().dropLast()) : self }
}

extension ExprSyntax {
    /// Whether the expression is a literal, which means the same wherever it stands.
    var isLiteral: Bool {
        if let text = self.as(StringLiteralExprSyntax.self) { return text.representedLiteralValue != nil }
        if let negative = self.as(PrefixOperatorExprSyntax.self) {
            return negative.operator.text == "-" && negative.expression.isLiteral
        }
        if let array = self.as(ArrayExprSyntax.self) {
            return array.elements.allSatisfy(\.expression.isLiteral)
        }
        return self.is(IntegerLiteralExprSyntax.self) || self.is(FloatLiteralExprSyntax.self)
            || self.is(BooleanLiteralExprSyntax.self)
    }

    /// Whether the expression is a name behind a dot, such as an enum's case.
    var isImplicitMember: Bool { self.as(MemberAccessExprSyntax.self).map { $0.base == nil } ?? false }

    var isNil: Bool { self.is(NilLiteralExprSyntax.self) }
}
