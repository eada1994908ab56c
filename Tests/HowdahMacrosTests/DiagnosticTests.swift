import TestSupport
import Testing

/// Every mistake is reported once, at the property, with what to do; where one change mends it, the change is offered
/// and leaves nothing to report.
@Suite(.enabled(if: SwiftToolchain.installed != nil, "there is no swiftc on the search path"))
struct DiagnosticTests {
    @Test(arguments: Mistake.ofProperties + Mistake.ofRelationships + Mistake.ofTypes)
    func aMistakeIsReported(_ mistake: Mistake) async throws {
        let expansion = try await Expansion(mistake.source)
        #expect(expansion.diagnostics.count == 1, "\(expansion.diagnostics.map(\.message))")
        let diagnostic = try #require(expansion.diagnostics.first)
        #expect(diagnostic.code == "Howdah.\(mistake.code)")
        #expect(diagnostic.severity == "error")
        #expect(expansion.place(of: diagnostic) == mistake.place)
        #expect(diagnostic.message.contains(mistake.message), "\(diagnostic.message)")
        let fixed = expansion.fixed
        #expect(fixed == mistake.fixed ?? mistake.source)
        if mistake.fixed != nil, !fixed.contains("<#") {
            #expect(try await Expansion(fixed).diagnostics.isEmpty)
        }
    }

    @Test func otherPropertiesAreEmittedAllTheSame() async throws {
        let text = try await Expansion(Mistake.ofProperties[0].source).text
        #expect(text.contains("private var __good: String"))
        #expect(!text.contains("__name"))
    }

    @Test func everyPropertyIsReportedInOneGo() async throws {
        let expansion = try await Expansion(
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
