// Makes sure that the modules the generated code imports were built.
import Howdah
import HowdahGeneration
import HowdahModel
import TestSupport
import Testing

/// Generated code compiles in every kind of module, without a warning.
@Suite(.enabled(if: SwiftToolchain.installed != nil, "there is no swiftc on the search path"))
struct CompilationTests {
    /// What a module of generated code may be compiled with.
    struct Setting: CustomTestStringConvertible {
        let testDescription: String
        let access: AccessLevel
        var flags: [String] = []

        static let features = [
            "NonisolatedNonsendingByDefault", "MemberImportVisibility", "InternalImportsByDefault",
            "ExistentialAny",
            "InferIsolatedConformances",
        ].flatMap { ["-enable-upcoming-feature", $0] }

        static let all = AccessLevel.allCases.flatMap { access in
            let package = access == .package ? ["-package-name", "program"] : []
            return [
                Setting(testDescription: "\(access)", access: access, flags: package),
                Setting(testDescription: "\(access), features", access: access, flags: package + features),
                Setting(
                    testDescription: "\(access), main actor", access: access,
                    flags: package + features + ["-default-isolation", "MainActor"]),
            ]
        }
    }

    /// In a quick run one with each of the three kinds of flags, and each of another access level.
    @Test(arguments: TestTier.current > .quick ? Setting.all : [0, 4, 8].map { Setting.all[$0] })
    func everyConstructCompiles(_ setting: Setting) async throws {
        try await check(EveryConstruct.model(), setting)
    }

    /// Names are the same whatever the settings; one of each kind is enough.
    @Test(arguments: TestTier.current > .quick ? [Setting.all[0], Setting.all[8]] : [Setting.all[8]])
    func oddNamesCompile(_ setting: Setting) async throws {
        try await check(OddNames.model(), setting)
    }

    private func check(_ model: ManagedObjectModel, _ setting: Setting) async throws {
        let code = GeneratedCode(of: model, named: "OddNames", access: setting.access)
        var files = code.files
        // A file of the user's, with the imports that every user writes.
        files["Own.swift"] = """
            import Foundation
            import Howdah

            nonisolated func ownFunction() throws -> Swift.Int { try Howdah.ManagedObjectModel.oddNames.entities.count }
            """
        let said = try await SwiftToolchain(#require(SwiftToolchain.installed)).check(files, setting.flags)
        #expect(said.isEmpty, "\(said)")
    }

    /// Type checking alone does not look into the initial values of the model's file. Machine code adds half a minute.
    @Test func oddNamesCompileToIntermediateCode() async throws {
        let code = GeneratedCode(of: try OddNames.model(), named: "OddNames")
        let said = try await SwiftToolchain(#require(SwiftToolchain.installed))
            .check(code.files, ["-emit-sil", "-wmo", "-o", "OddNames.sil"])
        #expect(said.isEmpty, "\(said)")
    }

    /// Down to object code, because type checking alone does not see all errors.
    @Test(arguments: TestTier.current > .quick ? AccessLevel.allCases : [.package])
    func theSingleFileCompiles(_ access: AccessLevel) async throws {
        let code = GeneratedCode(of: try EveryConstruct.model(), named: "Every", access: access)
        let said = try await SwiftToolchain(#require(SwiftToolchain.installed))
            .check(
                ["Every.swift": code.singleFile],
                Setting.features + ["-package-name", "program", "-emit-object", "-wmo", "-o", "Every.o"])
        #expect(said.isEmpty, "\(said)")
    }
}
