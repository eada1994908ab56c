import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

@testable import HowdahMacros

/// What the library's macros make of a source text.
struct Expansion {
    let source: String
    let text: String
    let diagnostics: [Diagnostic]

    init(_ source: String) {
        self.source = source
        let file = Parser.parse(source: source)
        let shared = BasicMacroExpansionContext(
            sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
        let specs: [String: MacroSpec] = [
            "Entity": MacroSpec(type: EntityMacro.self),
            "_EntityProperty": MacroSpec(type: EntityPropertyMacro.self),
            "Attribute": MacroSpec(type: AttributeMacro.self),
            "Relationship": MacroSpec(type: RelationshipMacro.self),
            "Composite": MacroSpec(type: CompositeMacro.self, conformances: ["Howdah.CompositeValue"]),
        ]
        text =
            file.expand(
                macroSpecs: specs,
                contextGenerator: {
                    BasicMacroExpansionContext(
                        sharingWith: shared, lexicalContext: $0.allMacroLexicalContexts())
                }, indentationWidth: .spaces(4)
            ).description
        diagnostics = shared.diagnostics
    }

    /// The source with every change made that the diagnostics propose.
    var fixed: String {
        var text = source
        for fixIt in diagnostics.flatMap(\.fixIts) {
            for case .replace(let old, let new) in fixIt.changes {
                guard let range = text.ranges(of: old.description).last else { continue }
                text.replaceSubrange(range, with: new.description)
            }
        }
        return text
    }
}
