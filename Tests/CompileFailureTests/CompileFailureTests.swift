// Makes sure that the modules the programs import were built.
import Howdah
import TestSupport
import Testing

/// The promise that objects cannot leave their context is the compiler's to keep: each program that tries must be
/// refused, for the reason it states, and each that does as intended must compile without a warning.
@Suite(.enabled(if: SwiftToolchain.installed != nil, "there is no swiftc on the search path"))
struct CompileFailureTests {
    /// Users may have these features or not; the first changes which closures cross from one isolation to another.
    static let features = [
        [], ["NonisolatedNonsendingByDefault"],
        [
            "NonisolatedNonsendingByDefault", "MemberImportVisibility", "InternalImportsByDefault",
            "ExistentialAny",
        ],
    ].map { $0.flatMap { ["-enable-upcoming-feature", $0] } }

    /// A quick run tries what is refused with all of them together.
    private static let refusing = TestTier.choose(quick: [features[2]], all: features, nightly: features)

    @Test(arguments: Program.all("Refused"), refusing)
    func aProgramIsRefused(_ program: Program, _ flags: [String]) async throws {
        let outcome = try await program.compiled(flags)
        try #require(!program.expectations.isEmpty, "the program must state which error it expects")
        #expect(!outcome.succeeded, "it compiled: \(outcome.output)")
        let errors = outcome.messages("error")
        for error in errors {
            #expect(
                program.expectations.contains { error.contains($0) }, "refused for another reason: \(error)")
        }
        for expectation in program.expectations {
            #expect(
                errors.contains { $0.contains(expectation) },
                "no error says '\(expectation)': \(outcome.output)")
        }
    }

    /// A quick run takes the settings in turns.
    private static let accepting: [(Program, [String])] = Program.all("Accepted").enumerated().flatMap {
        number, program in
        (TestTier.current > .quick ? features : [features[number % features.count]]).map { (program, $0) }
    }

    @Test(arguments: accepting)
    func aProgramCompiles(_ program: Program, _ flags: [String]) async throws {
        let outcome = try await program.compiled(flags)
        #expect(program.expectations.isEmpty)
        #expect(outcome.succeeded, "\(outcome.output)")
        #expect(outcome.output.isEmpty, "it compiles with a warning: \(outcome.output)")
    }

    /// A folder that was not found would make the tests above pass without a single program.
    @Test func thereArePrograms() {
        #expect(Program.all("Refused").count >= 50)
        #expect(Program.all("Accepted").count >= 13)
    }
}
