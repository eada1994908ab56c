import Foundation
import Testing

/// What the commands write where, and how they end.
@Suite struct ModelOutputTests {
    private let folder: ToolFolder

    init() throws { folder = try ToolFolder() }

    private var files: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/out"))?.sorted() ?? []
    }

    @Test(arguments: ["show", "validate", "checksum", "sql", "json", "diagram"])
    func aResultThatCannotBeWrittenIsAFailure(_ command: String) throws {
        try folder.place("<entity name=\"A\"/>", at: "A.xcdatamodel")
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let found = try Tool.run(["model", command, "A.xcdatamodel"], in: folder, output: full)
        #expect(found.status == 1)
        #expect(found.complaint.contains("Cannot write to standard output: "), "\(found.complaint)")
    }

    @Test func aReaderThatGoesAwayIsNoError() throws {
        try folder.place((0..<2_000).map { "<entity name=\"E\($0)\"/>" }.joined(), at: "A.xcdatamodel")
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let found = try Tool.run(
            ["model", "show", "A.xcdatamodel"], in: folder, output: pipe.fileHandleForWriting)
        #expect(found.status != 0 && found.complaint.isEmpty)
    }

    @Test func theProgramKnowsItsVersionAndItsCommands() throws {
        let version = try Tool.run("--version", in: folder)
        #expect(version.status == 0 && version.output.hasPrefix("howdah "))
        let command = try Tool.run("mdoel", in: folder)
        #expect(
            command.status == 64
                && command.complaint.hasPrefix(
                    "Error: Unknown command \"mdoel\". Use db, model, migrate, store, data, history, "
                        + "predicate or browse.")
        )
        let subcommand = try Tool.run("model", "shw", "A.xcdatamodel", in: folder)
        #expect(
            subcommand.status == 64
                && subcommand.complaint.contains("Unknown command \"shw\". Use show, "))
        #expect(try Tool.run("model", "--help", in: folder).output.contains("SUBCOMMANDS"))
        #expect(try Tool.run("help", "model", in: folder).status == 0)
    }

    @Test(arguments: [
        ["sql", "x", "--schema", ""], ["sql", "x", "--schema", "pg_x"],
        ["pull", "--database", "x", "--schema", ""], ["pull", "--database", ""],
        ["generate", "x", "-o", ""], ["diagram", "x", "-o", ""],
    ])
    func argumentsThatMakeNoSenseGiveTheUsage(_ arguments: [String]) throws {
        let found = try Tool.run(["model"] + arguments, in: folder)
        #expect(found.status == 64 && found.complaint.contains("Usage:"), "\(found)")
    }

    @Test func oneIsSingular() throws {
        try folder.place(
            "<entity name=\"A\"><attribute name=\"x\" optional=\"YES\" attributeType=\"String\"/></entity>",
            at: "A.xcdatamodel")
        let one = try Tool.run("model", "validate", "A.xcdatamodel", in: folder)
        #expect(one.output == "valid: 1 entity, 1 attribute, 0 relationships\n")
        let all = try Tool.run("model", "validate", "A.xcdatamodel", "--all", in: folder)
        #expect(all.output == "1 version, 0 errors, 0 warnings\n")
    }

    /// A model may come from anywhere; it does not get to steer the terminal.
    @Test func controlCharactersAreSpelledOut() throws {
        try folder.write(
            """
            {"format": 1, "entities": [{"name": "A", "properties": [{"attribute": {"name": "x", "type": "string",
              "defaultValue": {"string": "\\u001b[31m\\u202e"}, "regex": "a\\nb\\u0007"}}],
              "userInfo": {}, "\\u001b[2J": 1}]}
            """, at: "a.json")
        try folder.write(
            "{\"format\": 1, \"entities\": [{\"name\": \"A\\u001b[31m\\n\"}, {\"name\": \"B\", \"superentity\": \"\\n- x\"}]}",
            at: "b.json")
        for (command, file) in [
            ("show", "a.json"), ("validate", "a.json"), ("show", "b.json"), ("validate", "b.json"),
        ] {
            let found = try Tool.run("model", command, file, in: folder)
            let text = found.output + found.complaint
            #expect(text.contains("\\u{1b}["), "\(text)")
            let isClean = text.unicodeScalars.allSatisfy {
                $0 == "\n" || $0.properties.generalCategory != .control
            }
            #expect(isClean && !text.contains("\u{202E}") && !text.contains("\n- x"), "\(text)")
        }
    }

    @Test func warningsAreToldWhereAModelIsRefused() throws {
        try folder.place("<entity name=\"A\" fromMars=\"YES\" parentEntity=\"B\"/>", at: "A.xcdatamodel")
        let shown = try Tool.run("model", "show", "A.xcdatamodel", in: folder)
        #expect(shown.status == 1 && shown.output.isEmpty)
        #expect(shown.complaint.contains("warning: line 2: ") && shown.complaint.contains("fromMars"))
        #expect(shown.complaint.contains("The superentity \"B\" is not in the model"))
        let validated = try Tool.run("model", "validate", "A.xcdatamodel", in: folder)
        #expect(validated.status == 1 && validated.output.contains("warning: line 2: "))
        #expect(validated.output.contains("error: A: The superentity"))
    }

    @Test func whatIsNoFileIsRefused() throws {
        try #require(mkfifo(folder.path + "/pipe.json", 0o600) == 0)
        try FileManager.default.createDirectory(
            atPath: folder.path + "/A.xcdatamodel/contents", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/link.json", withDestinationPath: "pipe.json")
        for (path, words) in [
            ("pipe.json", "a pipe, a device or a socket"), ("link.json", "a pipe, a device or a socket"),
            ("/dev/zero", "a pipe, a device or a socket"), ("A.xcdatamodel", "This is a folder"),
        ] {
            let found = try Tool.run("model", "show", path, in: folder)
            #expect(found.status == 1 && found.complaint.contains(words), "\(path): \(found)")
        }
        try folder.place("<entity name=\"B\"/>", at: "B.xcdatamodel")
        let written = try Tool.run("model", "diagram", "B.xcdatamodel", "-o", "A.xcdatamodel", in: folder)
        #expect(written.status == 1 && written.complaint.contains("it is a folder"))
    }

    @Test func filesOfEntitiesThatAreGoneAreRemovedAndNoOthers() throws {
        try folder.place("<entity name=\"A\"/><entity name=\"B\"/>", at: "Shop.xcdatamodel")
        try folder.place("<entity name=\"C\"/>", at: "Other.xcdatamodel")
        for model in ["Shop", "Other"] {
            #expect(
                try Tool.run("model", "generate", model + ".xcdatamodel", "-o", "out", in: folder).status == 0
            )
        }
        let mark = try String(contentsOfFile: folder.path + "/out/B.swift", encoding: .utf8).split(
            separator: "\n")[0]
        try folder.write("// my own\n\(mark)\n", at: "out/Own.swift")
        try folder.write("\(mark)\n", at: "out/notes.txt")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/out/Link.swift", withDestinationPath: "B.swift")
        let before = files
        try folder.place("<entity name=\"A\"/>", at: "Shop.xcdatamodel")
        let again = try Tool.run("model", "generate", "Shop.xcdatamodel", "-o", "out", in: folder)
        #expect(again.status == 0, "\(again)")
        #expect(again.output == "2 files in out\nremoved B.swift, which the model no longer needs\n")
        #expect(files == before.filter { $0 != "B.swift" })
        #expect(files.contains("C.swift") && files.contains("Own.swift") && files.contains("Link.swift"))
    }

    @Test func aModelThatOneTransactionCannotMakeIsTold() throws {
        try folder.place(
            (0..<1_700).map {
                "<entity name=\"E\($0)\"><attribute name=\"x\" optional=\"YES\" attributeType=\"String\"/></entity>"
            }.joined(), at: "Large.xcdatamodel")
        let sql = try Tool.run("model", "sql", "Large.xcdatamodel", in: folder)
        #expect(sql.status == 0 && sql.output.contains("CREATE TABLE"))
        #expect(sql.complaint.contains("max_locks_per_transaction = 128"), "\(sql.complaint)")
        let validated = try Tool.run("model", "validate", "Large.xcdatamodel", in: folder)
        #expect(validated.output.contains("warning: One transaction"))
    }
}
