import Foundation
import HowdahGeneration
import HowdahModel
import Testing

/// The classes of a model are checked in, so that each change of generated code is seen in review, and used in tests.
///
/// `HOWDAH_RECORD=1 swift test --filter CheckedInCodeTests` writes them anew.
@Suite struct CheckedInCodeTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "GeneratedModels")

    @Test func theCodeIsTheOneCheckedIn() throws {
        let code = GeneratedCode(of: try Gallery.model(), named: "Gallery", access: .public)
        let present = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path())
            .filter { $0.hasSuffix(".swift") }
        if ProcessInfo.processInfo.environment["HOWDAH_RECORD"] == "1" {
            for name in present { try FileManager.default.removeItem(at: Self.folder.appending(path: name)) }
            for (name, text) in code.files {
                try text.write(to: Self.folder.appending(path: name), atomically: true, encoding: .utf8)
            }
        } else {
            #expect(Set(present) == Set(code.files.keys))
            for (name, text) in code.files {
                let file = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
                #expect(file == text, "\(name) is another one")
            }
        }
    }

    @Test func whatCodeCannotHaveIsTold() throws {
        let code = GeneratedCode(of: try Gallery.model(), named: "Gallery")
        #expect(
            code.warnings.map(\.description) == [
                "Sculpture.shape: The attribute has no type, so the class has no property for it. "
                    + "Declare a property in an extension."
            ])
    }
}
