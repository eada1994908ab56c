import Foundation
import TestSupport
import Testing

/// The page of the folder `migrations`: its commands, word by word, in a shell.
@Suite struct StoryPageTests {
    /// The commands below each heading; those above the first one are for all.
    private static func stories() throws -> [String: [String]] {
        let page = try String(
            contentsOf: Repository.root.appending(path: "migrations/README.md"), encoding: .utf8)
        var stories: [String: [String]] = [:]
        var (title, isCode) = ("", false)
        for line in page.split(separator: "\n") {
            if line.hasPrefix("```") {
                isCode.toggle()
            } else if isCode {
                stories[title, default: []].append(String(line))
            } else if line.hasPrefix("## ") {
                title = String(line.dropFirst(3))
            }
        }
        return stories
    }

    @Test(arguments: [
        ("An aircraft logbook", #""track":"EDNY 47.67 9.51;EDMA 48.42 10.93""#),
        ("Notes with images", #""@entity":"Image""#), ("Tracks and their artists", #""name":"Grace""#),
    ])
    func theCommandsRunAsTheyStand(_ title: String, _ last: String) throws {
        let stories = try Self.stories()
        #expect(stories.count == 4)
        let commands = try #require(stories[title])
        let folder = try ToolFolder(clusters: "migrations/\(Self.name(commands))/.howdah/postgres")
        let copy = folder.path + "/migrations"
        try FileManager.default.copyItem(
            atPath: Repository.root.appending(path: "migrations").path(percentEncoded: false), toPath: copy)
        // The package is built: `swift run` finds its programs here.
        try folder.write(
            """
            #!/bin/sh
            shift; [ "$1" != --quiet ] || shift
            program=$1; shift
            exec "\(try #require(Tool.folder))/$program" "$@"
            """, at: "bin/swift")
        chmod(folder.path + "/bin/swift", 0o755)
        let script = (try #require(stories[""]) + commands).map { "\($0)\necho \"status $?\" >&2" }
        let done = try Tool.run(
            [
                "PATH=\(folder.path)/bin:/usr/local/bin:/usr/bin:/bin", "bash", "-c",
                script.joined(separator: "\n"),
            ],
            in: folder, program: "/usr/bin/env")
        let ends = done.complaint.split(separator: "\n").filter { $0.hasPrefix("status ") }.dropFirst()
        let expected = commands.map { $0.contains("# refused") ? 3 : $0.contains("migrate plan") ? 2 : 0 }
        #expect(ends.map(String.init) == expected.map { "status \($0)" }, "\(done)")
        #expect(done.output.contains(last) && done.output.hasSuffix("stopped\n"), "\(done)")
    }

    /// The folder of a story, which it begins with.
    private static func name(_ commands: [String]) -> String {
        String(commands[0].split(separator: "/").last ?? "")
    }
}
