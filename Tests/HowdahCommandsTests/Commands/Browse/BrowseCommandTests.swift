import Foundation
import Testing

/// `howdah browse` in a build without the trait `Browser`; `Tests/Server` has the tests with it.
@Suite struct BrowseCommandTests {
    private func advice(for manifest: String?) throws -> String {
        let folder = try ToolFolder()
        if let manifest { try folder.write(manifest, at: "Package.swift") }
        let outcome = try Tool.run("browse", "--database", "postgres://reader@db/shop", in: folder)
        #expect(outcome.status == 64 && outcome.output.isEmpty, "\(outcome)")
        return outcome.complaint
    }

    @Test("In a clone, the command names the trait for swift run")
    func clone() throws {
        let advice = try advice(for: "let package = Package(targets: [.target(name: \"HowdahTool\")])")
        #expect(
            advice == """
                Error: This build of howdah has no web server, because the trait Browser is off. Run:
                    swift run --traits Browser howdah browse

                """)
    }

    @Test(
        "In a dependent package, the command prints the dependency with the trait",
        arguments: [
            (#"url: "https://git.test/a/howdah", from: "0.1.0""#, "Browser"),
            (#"url: "https://git.test/a/howdah.git", from: "0.1.0", traits: ["Full"]"#, "Browser"),
            (#"name: "howdah", path: "../howdah", traits: ["Server"]"#, "All"),
        ])
    func dependent(dependency: String, trait: String) throws {
        let manifest = """
            let package = Package(
                dependencies: [
                    .package(url: "https://git.test/a/other", .upToNextMinor(from: "1.0.0")),
                    .package(
                        \(dependency)),
                ])
            """
        let bare = dependency.split(separator: ", traits:")[0]
        let advice = try advice(for: manifest)
        #expect(advice.contains("\n    .package(\(bare), traits: [\"\(trait)\"]),\n"), "\(advice)")
        #expect(advice.hasSuffix("Then run:\n    swift run howdah browse\n"))
    }

    @Test("A manifest whose dependency is not found gets a whole line")
    func unknownDependency() throws {
        let line =
            ".package(url: \"https://github.com/OWNER/howdah\", branch: \"main\", traits: [\"Browser\"]),"
        #expect(try advice(for: "let package = Package(dependencies: howdah)").contains("\n    \(line)\n"))
    }

    @Test("Outside of packages, the command says to change the folder")
    func outside() throws {
        #expect(try advice(for: nil).contains("Change to the folder of your package and run:"))
    }

    @Test("The image is built with the trait")
    func image() throws {
        let root = (0..<5).reduce(URL(filePath: #filePath)) { folder, _ in folder.deletingLastPathComponent()
        }
        let text = try String(contentsOf: root.appending(path: "docker/Dockerfile"), encoding: .utf8)
        let traits = text.matches(of: /swift build [^)\n]*--traits (\w+)/).map { String($0.1) }
        #expect(traits == ["Browser", "Browser"])
    }

    @Test("A port that does not exist is a wrong argument", arguments: ["65536", "-1"])
    func port(number: String) throws {
        let outcome = try Tool.run("browse", "--port=\(number)", in: ToolFolder())
        #expect(outcome.status == 64)
        #expect(outcome.complaint.contains("--port is out of range. Use a number from 0 to 65535."))
    }
}
