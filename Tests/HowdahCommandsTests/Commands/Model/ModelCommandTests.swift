import Foundation
import Testing

@Suite struct ModelCommandTests {
    private let folder: ToolFolder

    init() throws {
        folder = try ToolFolder()
        try folder.place(
            """
            <entity name="Shelf"><attribute name="label" attributeType="String"/>
                <relationship name="books" toMany="YES" optional="YES" ordered="YES" deletionRule="Cascade"
                    destinationEntity="Book" inverseName="shelf" inverseEntity="Book"/></entity>
            <entity name="Book"><attribute name="title" optional="YES" attributeType="String" fromMars="YES"/>
                <relationship name="shelf" optional="YES" maxCount="1" deletionRule="Nullify"
                    destinationEntity="Shelf" inverseName="books" inverseEntity="Shelf"/></entity>
            """, at: "Library.xcdatamodeld/Library 2.xcdatamodel")
        try folder.place("<entity name=\"Shelf\"/>", at: "Library.xcdatamodeld/Library.xcdatamodel")
        try folder.write(
            """
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key>
            <string>Library 2.xcdatamodel</string></dict></plist>
            """, at: "Library.xcdatamodeld/.xccurrentversion")
        try folder.place(
            "<entity name=\"A\" parentEntity=\"B\"/><entity name=\"A\"/>", at: "Wrong.xcdatamodel")
    }

    @Test func showTellsVersionsAndProperties() throws {
        let shown = try Tool.run("model", "show", "Library.xcdatamodeld", in: folder)
        #expect(shown.status == 0)
        for line in [
            "2 versions", "  Library 2  (current, shown)", "Shelf", "  label  string",
            "  books  ordered Book*  inverse shelf, delete cascade",
        ] { #expect(shown.output.contains(line + "\n"), "\(line)") }
        #expect(shown.complaint.contains("fromMars"))
        let old = try Tool.run("model", "show", "Library.xcdatamodeld", "--version", "Library", in: folder)
        #expect(old.status == 0 && !old.output.contains("Book"))
    }

    @Test func caseInsensitiveStringsAreCarriedEverywhere() throws {
        try folder.place(
            """
            <entity name="User" representedClassName=".User">
                <attribute name="login" optional="YES" attributeType="String">
                    <userInfo><entry key="howdah.caseInsensitive" value="YES"/></userInfo></attribute>
                <uniquenessConstraints><uniquenessConstraint><constraint value="login"/></uniquenessConstraint>
                </uniquenessConstraints></entity>
            """, at: "Users.xcdatamodel")
        func output(_ words: String...) throws -> String {
            let run = try Tool.run(
                ["model", words[0], "Users.xcdatamodel"] + words.dropFirst(), in: folder)
            #expect(run.status == 0, "\(run.complaint)")
            return run.output
        }
        #expect(try output("show").contains("case-insensitive"))
        let json = try output("json")
        #expect(json.contains("howdah.caseInsensitive"))
        try folder.write(json, at: "users.json")
        let checksum = try Tool.run("model", "checksum", "users.json", in: folder).output
        #expect(try checksum.split(separator: " ").first == output("checksum").split(separator: " ").first)
        #expect(try output("sql").contains(#"("public"."_howdah_fold_c_1"("login"))"#))
        #expect(try output("diagram", "--format", "mermaid").contains("login unique case-insensitive"))
        _ = try output("generate", "-o", "users")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/users")
        let code = try names.map { try String(contentsOfFile: folder.path + "/users/\($0)", encoding: .utf8) }
        #expect(code.joined().contains("howdah.caseInsensitive"))
    }

    @Test("Values that history keeps are shown, converted and generated")
    func preservedValuesAreCarriedEverywhere() throws {
        func file(_ flag: String) -> String {
            """
            <entity name="User" representedClassName=".User">
                <attribute name="login" optional="YES" attributeType="String"\(flag)/>
                <attribute name="born" optional="YES" attributeType="Date"/></entity>
            """
        }
        try folder.place(file(""), at: "Before.xcdatamodel")
        try folder.place(file(" preserveAfterDeletion=\"YES\""), at: "Users.xcdatamodel")
        func output(_ words: String...) throws -> String {
            let run = try Tool.run(["model"] + words, in: folder)
            #expect(run.status == 0, "\(run.complaint)")
            return run.output
        }
        #expect(try output("show", "Users.xcdatamodel").contains("  login  string?  preserved in history\n"))
        #expect(try !output("show", "Before.xcdatamodel").contains("preserved"))
        let json = try output("json", "Users.xcdatamodel")
        #expect(json.contains("preservesValueInHistoryOnDeletion"))
        try folder.write(json, at: "users.json")
        #expect(try output("json", "users.json") == json)
        let checksums = try ["Before.xcdatamodel", "Users.xcdatamodel", "users.json"].map { name in
            try output("checksum", name).split(separator: " ").first
        }
        #expect(Set(checksums).count == 1)
        #expect(try output("sql", "Users.xcdatamodel") == output("sql", "Before.xcdatamodel"))
        _ = try output("generate", "Users.xcdatamodel", "-o", "users")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/users")
        let code = try names.map { try String(contentsOfFile: folder.path + "/users/\($0)", encoding: .utf8) }
        #expect(code.joined().contains("preservesValueInHistoryOnDeletion"))
    }

    @Test func validateTellsEverythingAtOnce() throws {
        let wrong = try Tool.run("model", "validate", "Wrong.xcdatamodel", in: folder)
        #expect(wrong.status == 1)
        #expect(wrong.output.split(separator: "\n").count { $0.hasPrefix("error: ") } == 2)
        let fine = try Tool.run("model", "validate", "Library.xcdatamodeld", in: folder)
        #expect(
            fine.status == 0 && fine.output.contains("warning: ") && fine.output.contains("valid: 2 entities")
        )
        let strict = try Tool.run("model", "validate", "Library.xcdatamodeld", "--strict", in: folder)
        #expect(strict.status == 1 && strict.output.contains("error: "))
        let all = try Tool.run("model", "validate", "Library.xcdatamodeld", "--all", in: folder)
        #expect(all.status == 0 && all.output.contains("2 versions, 0 errors"))
    }

    @Test func jsonReadsBackAsTheSameModel() throws {
        let json = try Tool.run("model", "json", "Library.xcdatamodeld", in: folder)
        try folder.write(json.output, at: "library.json")
        let again = try Tool.run("model", "json", "library.json", in: folder)
        #expect(json.status == 0 && again.output == json.output && again.complaint.isEmpty)
        let checksums = try ["Library.xcdatamodeld", "library.json"].map {
            try Tool.run("model", "checksum", $0, in: folder).output
        }
        #expect(checksums[0] == checksums[1] && checksums[0].count == 65)
        let entities = try Tool.run("model", "checksum", "library.json", "--entities", in: folder)
        #expect(entities.output.split(separator: "\n").map { $0.suffix(5) } == ["  Book".suffix(5), "Shelf"])
    }

    @Test func sqlAndDiagramAndClassesAreWritten() throws {
        let sql = try Tool.run("model", "sql", "Library.xcdatamodeld", "--schema", "lib", in: folder)
        #expect(sql.status == 0 && sql.output.contains("CREATE TABLE \"lib\".\"book\""))
        let svg = try Tool.run("model", "diagram", "Library.xcdatamodeld", "-o", "l.svg", in: folder)
        let text = try String(contentsOfFile: folder.path + "/l.svg", encoding: .utf8)
        #expect(svg.status == 0 && text.hasPrefix("<svg") && text.contains("books"))
        let mermaid = try Tool.run(
            "model", "diagram", "Library.xcdatamodeld", "--format", "mermaid", in: folder)
        #expect(mermaid.output.hasPrefix("classDiagram"))
        let classes = try Tool.run(
            "model", "generate", "Library.xcdatamodeld", "-o", "out", "--access", "public", in: folder)
        #expect(classes.status == 0, "\(classes.complaint)")
        let book = try String(contentsOfFile: folder.path + "/out/Book.swift", encoding: .utf8)
        #expect(book.contains("public final class Book"))
    }

    @Test func pullReadsADatabase() throws {
        let url = try Tool.run("db", "start", in: folder).output.trimmingCharacters(in: .newlines)
        _ = try Tool.run(
            "db", "psql", "--", "-qc", "CREATE TABLE notes (id int PRIMARY KEY, body text, at interval)",
            in: folder)
        let pulled = try Tool.run("model", "pull", "--database", url, in: folder)
        #expect(pulled.status == 0 && pulled.output.contains("\"Notes\""))
        #expect(pulled.complaint.contains("note: notes.at: "))
        let refused = try Tool.run("model", "pull", "--database", "postgres://localhost:1/x", in: folder)
        #expect(refused.status == 1 && refused.complaint.contains("connection"))
    }

    @Test(arguments: [
        (["model", "show", "nothing.xcdatamodeld"], "does not exist"),
        (["model", "show", "Library.xcdatamodeld", "--version", "Library 7"], "Library, Library 2"),
        (["model", "diagram", "Library.xcdatamodeld", "-o", "no/such/folder.svg"], "Cannot write"),
    ])
    func wrongInputIsOneClearLine(_ arguments: [String], _ words: String) throws {
        let found = try Tool.run(arguments, in: folder)
        #expect(found.status == 1 && found.output.isEmpty)
        #expect(found.complaint.contains(words), "\(found.complaint)")
    }

    @Test(arguments: [
        ["model", "show"], ["model", "diagram", "Library.xcdatamodeld", "--format", "png"],
        ["model", "generate", "Library.xcdatamodeld"], ["model", "validate", "x", "--all", "--version", "y"],
    ])
    func wrongArgumentsGiveTheUsage(_ arguments: [String]) throws {
        let found = try Tool.run(arguments, in: folder)
        #expect(found.status == 64 && found.complaint.contains("Usage:"))
    }
}
