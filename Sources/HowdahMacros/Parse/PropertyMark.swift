import SwiftParser
import SwiftSyntax

/// `@Attribute(…)` or `@Relationship(…)` on a property.
struct PropertyMark {
    enum Kind {
        case attribute, relationship
    }

    let syntax: AttributeSyntax
    let kind: Kind
    /// The names of the leading options: `unique`, `required` …
    let options: [String]
    /// The labelled arguments as they are written.
    let arguments: [String: String]

    init?(_ syntax: AttributeSyntax) {
        switch syntax.attributeName.lastName {
        case "Attribute": kind = .attribute
        case "Relationship": kind = .relationship
        default: return nil
        }
        self.syntax = syntax
        let list = syntax.arguments?.as(LabeledExprListSyntax.self) ?? []
        options = list.filter { $0.label == nil }.compactMap {
            $0.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
        }
        arguments = syntax.labelledArguments.filter { $0.key != "" }
    }

    func has(_ option: String) -> Bool { options.contains(option) }

    /// The inverse's name as a name in code; nil where there is none.
    var inverse: String? {
        let list = syntax.arguments?.as(LabeledExprListSyntax.self) ?? []
        return list.first { $0.label?.text == "inverse" }?.expression.as(StringLiteralExprSyntax.self)?
            .representedLiteralValue
    }
}
