import Foundation
import HowdahGeneration
import HowdahModel
import TestSupport
import Testing

/// The program that the plugin runs, from model file to Swift file.
@Suite struct GenerateToolTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "howdah-\(UUID().uuidString)")

    private func run(_ arguments: String...) throws -> (status: Int32, said: String) {
        let compiler = try SwiftToolchain(URL(filePath: "/"))
        let process = Process()
        process.executableURL = compiler.buildFolder.appending(path: "HowdahGenerateTool")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        let pipe = Pipe()
        process.standardError = pipe
        try process.run()
        let said = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: said, as: UTF8.self))
    }

    private func withFolder(_ body: () throws -> Void) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body()
    }

    private func write(_ text: String, _ name: String) throws {
        try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
    }

    @Test func aModelBecomesAFile() throws {
        try withFolder {
            let model = try Gallery.model()
            try write(model.canonicalJSON, "My.Gallery.howdahmodel.json")
            let outcome = try run("My.Gallery.howdahmodel.json", "out.swift")
            #expect(outcome.status == 0)
            #expect(
                outcome.said.contains("My.Gallery.howdahmodel.json: warning: Sculpture.shape: The attribute"))
            let output = folder.appending(path: "out.swift")
            let expected = GeneratedCode(of: model, named: "My.Gallery").singleFile
            #expect(try String(contentsOf: output, encoding: .utf8) == expected)

            let past = Date(timeIntervalSince1970: 1_000_000)
            try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: output.path())
            #expect(try run("My.Gallery.howdahmodel.json", "out.swift").status == 0)
            let date =
                try FileManager.default.attributesOfItem(atPath: output.path())[.modificationDate] as? Date
            #expect(date == past, "a file that would not change is left alone")
        }
    }

    @Test func theConfigurationIsFollowed() throws {
        try withFolder {
            try write(Gallery.model().canonicalJSON, "A.howdahmodel.json")
            try write(#"{ "access": "public" }"#, "config.json")
            #expect(try run("A.howdahmodel.json", "out.swift", "config.json").status == 0)
            let text = try String(contentsOf: folder.appending(path: "out.swift"), encoding: .utf8)
            #expect(text == GeneratedCode(of: try Gallery.model(), named: "A", access: .public).singleFile)
        }
    }

    @Test(arguments: [
        (#"{ "access": "open" }"#, "\"open\" is not an access level. Use one of internal, package, public."),
        (#"{ "acess": "public" }"#, "has unknown keys: acess."),
        ("[]", "is not a JSON object of strings"),
    ])
    func mistakesInTheConfigurationAreNamed(_ text: String, _ message: String) throws {
        try withFolder {
            try write(Gallery.model().canonicalJSON, "A.howdahmodel.json")
            try write(text, "config.json")
            let outcome = try run("A.howdahmodel.json", "out.swift", "config.json")
            #expect(outcome.status == 1)
            #expect(outcome.said.hasPrefix("error: ") && outcome.said.contains(message), "\(outcome.said)")
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "out.swift").path()))
        }
    }

    @Test func aFileThatIsNoModelIsNamed() throws {
        try withFolder {
            try write(#"{ "format": 1, "entities": [{ "name": "" }] }"#, "A.howdahmodel.json")
            let outcome = try run("A.howdahmodel.json", "out.swift")
            #expect(outcome.status == 1)
            #expect(outcome.said.contains("A.howdahmodel.json: The model has 1 issue:"), "\(outcome.said)")
            #expect(try run("B.howdahmodel.json", "out.swift").status == 1)
            #expect(
                try run("A.howdahmodel.json").said.contains("Give the model's file, the file to write"))
        }
    }
}
