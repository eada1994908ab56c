// Makes sure that the modules the generated code imports were built.
import Howdah
import HowdahGeneration
import Testing

/// Generated code compiles in every kind of module, without a warning.
@Suite(.enabled(if: SwiftCompiler.installed != nil, "there is no swiftc on the search path"))
struct CompilationTests {
    enum Subject: CaseIterable {
        case everyConstruct, oddNames

        func model() throws -> ManagedObjectModel {
            switch self {
            case .everyConstruct: try EveryConstruct.model()
            case .oddNames: try OddNames.model()
            }
        }
    }

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

    @Test(arguments: Subject.allCases, Setting.all)
    func theFilesCompile(_ subject: Subject, _ setting: Setting) async throws {
        let code = GeneratedCode(of: try subject.model(), named: "OddNames", access: setting.access)
        var files = code.files
        // A file of the user's, with the imports that every user writes.
        files["Own.swift"] = """
            import Foundation
            import Howdah

            nonisolated func ownFunction() throws -> Swift.Int { try ManagedObjectModel.oddNames.entities.count }
            """
        let said = try await SwiftCompiler(#require(SwiftCompiler.installed)).check(files, setting.flags)
        #expect(said.isEmpty, "\(said)")
    }

    @Test(arguments: AccessLevel.allCases)
    func theSingleFileCompiles(_ access: AccessLevel) async throws {
        let code = GeneratedCode(of: try EveryConstruct.model(), named: "Every", access: access)
        let said = try await SwiftCompiler(#require(SwiftCompiler.installed))
            .check(["Every.swift": code.singleFile], Setting.features + ["-package-name", "program"])
        #expect(said.isEmpty, "\(said)")
    }
}
