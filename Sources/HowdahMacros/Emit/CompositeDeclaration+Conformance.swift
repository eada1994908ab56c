import SwiftSyntax

extension CompositeDeclaration {
    /// The extension that makes the struct a composite.
    func conformance(of type: String, adding protocols: [TypeSyntax]) -> String {
        let clause = protocols.isEmpty ? "" : ": Howdah.CompositeValue"
        let parts = [description, keyPaths, columnCount, zero, fromRow, fromElements, elements]
        return "nonisolated extension \(type)\(clause) {"
            + EntityDeclaration.block(parts.flatMap { $0.split(separator: "\n").map(String.init) }) + "}"
    }

    private var typed: [(property: PropertyDeclaration, type: String)] {
        properties.filter { $0.type != nil }.map { ($0, "__TypeOf_\($0.name)") }
    }

    /// A name for each element's type, to be declared in the struct itself.
    var typeNames: [String] {
        properties.compactMap { property in
            property.type.map { "private typealias __TypeOf_\(property.name) = \($0.trimmedDescription)" }
        }
    }

    private var description: String {
        let elements = typed.map {
            "Howdah.AttributeDescription(\($0.property.attributeArguments(type: $0.type))),\n"
        }
        return """
            \(access)static let compositeDescription = Howdah.CompositeDescription(
                \(compositeName ?? "\"\(name)\""),
                [
            \(elements.map { "        \($0)" }.joined())
                ])
            """
    }

    private var keyPaths: String {
        let paths = typed.map {
            "        Howdah._PropertyKeyPath(\\Self.\($0.property.spelling), \"\($0.property.name)\"),\n"
        }
        return """
            \(access)static var _keyPaths: [Howdah._PropertyKeyPath] {
                [
            \(paths.joined())
                ]
            }
            """
    }

    private var columnCount: String {
        let counts = typed.map { "Howdah._Emitted.columnCount(of: \($0.type.metatype))" }
        return "\(access)static var _columnCount: Int { \(counts.joined(separator: " + ")) }"
    }

    private var zero: String {
        """
        \(access)static var _zero: Self { Self(_zero: ()) }
        private init(_zero: Void) {
        \(typed.map { "    self.\($0.property.spelling) = Howdah._Emitted.zero()\n" }.joined())}
        """
    }

    private var fromRow: String {
        """
        \(access)init(_row row: inout Howdah._RowReader) {
        \(typed.map { "    self.\($0.property.spelling) = Howdah._Emitted.read(&row)\n" }.joined())}
        """
    }

    private var fromElements: String {
        let assignments = typed.enumerated().map { index, member in
            """
                guard let element\(index) = Howdah._Emitted.make(elements[\(index)], \(member.type.metatype)) else { return nil }
                self.\(member.property.spelling) = element\(index)

            """
        }
        return """
            \(access)init?(_elements elements: [Howdah.Value]) {
                guard elements.count == \(typed.count) else { return nil }
            \(assignments.joined())}
            """
    }

    private var elements: String {
        let values = typed.map { "Howdah._Emitted.element(self.\($0.property.spelling))" }
        return "\(access)var _elements: [Howdah.Value] { [\(values.joined(separator: ", "))] }"
    }
}
