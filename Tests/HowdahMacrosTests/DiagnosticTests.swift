import SwiftDiagnostics
import SwiftSyntax
import Testing

/// Every mistake is reported once, at the property, with what to do; where one change mends it, the change is offered
/// and leaves nothing to report.
@Suite struct DiagnosticTests {
    @Test(arguments: Mistake.ofProperties + Mistake.ofRelationships + Mistake.ofTypes)
    func aMistakeIsReported(_ mistake: Mistake) throws {
        let expansion = Expansion(mistake.source)
        #expect(expansion.diagnostics.count == 1, "\(expansion.diagnostics.map(\.message))")
        let diagnostic = try #require(expansion.diagnostics.first)
        #expect(diagnostic.diagMessage.diagnosticID == MessageID(domain: "Howdah", id: mistake.code))
        #expect(diagnostic.diagMessage.severity == .error)
        #expect(diagnostic.node.trimmedDescription == mistake.place)
        #expect(diagnostic.message.contains(mistake.message), "\(diagnostic.message)")
        #expect(expansion.fixed == mistake.fixed ?? mistake.source)
        if mistake.fixed != nil, !expansion.fixed.contains("<#") {
            #expect(Expansion(expansion.fixed).diagnostics.isEmpty)
        }
    }

    @Test func otherPropertiesAreEmittedAllTheSame() {
        let text = Expansion(Mistake.ofProperties[0].source).text
        #expect(text.contains("private var __good: String"))
        #expect(!text.contains("__name"))
    }

    @Test func everyPropertyIsReportedInOneGo() {
        let expansion = Expansion(
            """
            @Entity final class Thing: ManagedObject {
                let a: Int
                var b = 1
                @Relationship var c: Thing?
            }
            """)
        #expect(expansion.diagnostics.count == 3)
    }
}
