import Foundation
import HowdahTesting
import Testing

@Suite struct PredicateCommandTests {
    private let folder: ToolFolder

    init() throws {
        folder = try ToolFolder()
        try folder.place(
            """
            <entity name="Person"><attribute name="name" optional="YES" attributeType="String"/>
                <attribute name="age" optional="YES" attributeType="Integer 16"/>
                <attribute name="born" optional="YES" attributeType="Date"/>
                <relationship name="team" optional="YES" maxCount="1" deletionRule="Nullify"
                    destinationEntity="Team" inverseName="people" inverseEntity="Team"/></entity>
            <entity name="Team"><attribute name="title" optional="YES" attributeType="String"/>
                <relationship name="people" toMany="YES" optional="YES" deletionRule="Nullify"
                    destinationEntity="Person" inverseName="team" inverseEntity="Person"/></entity>
            """, at: "Staff.xcdatamodel")
    }

    private func run(_ arguments: String...) throws -> Tool.Outcome {
        try Tool.run(["predicate"] + arguments, in: folder)
    }

    @Test func parsingPrintsTheTree() throws {
        let open = try run("parse", "name beginswith[c] %@ && !(age > %d)")
        #expect(open.status == 0)
        #expect(open.output == "name BEGINSWITH[c] $argument1 AND NOT age > 1\n")
        let given = try run(
            "parse", "%K == %@ OR age IN %@", "--argument", "a.b", "--argument", "O'Hara", "--argument",
            "{1, 2}")
        #expect(given.output == "a.b == 'O\\'Hara' OR age IN {1, 2}\n")
        let few = try run("parse", "%K == %@", "--argument", "a")
        #expect(few.status == 1 && few.complaint.contains("This placeholder needs argument 2"))
        let dash = try run("parse", "age == %d", "--argument", "-5")
        #expect(dash.output == "age == -5\n", "\(dash)")
    }

    @Test func mistakesAreMarked() throws {
        let wrong = try run("parse", "name == 'a' AND agé >")
        #expect(wrong.status == 1 && wrong.output == "")
        #expect(
            wrong.complaint == """
                Error: Expected a key path, a literal or a placeholder. Add one of them. (at the end)
                  name == 'a' AND agé >
                                       ^

                """)
        let json = try run("parse", "--json", "a ==")
        #expect(json.status == 1 && json.output.contains("\"position\" : 5"))
    }

    @Test func aFileIsReadLineByLine() throws {
        try folder.write(
            "name == 'a'\n\nage >\n%K == %@\nnmae == 1\nANY people.age > %d\n", at: "formats.txt")
        let parsed = try run("parse", "--file", "formats.txt")
        #expect(parsed.status == 1)
        #expect(parsed.output.contains("formats.txt:3:6: error: "))
        #expect(parsed.output.hasSuffix("5 formats, 4 valid, 1 invalid\n"))
        let checked = try run("check", "--file", "formats.txt", "--model", "Staff.xcdatamodel")
        #expect(checked.status == 1)
        #expect(
            checked.output.contains(
                "formats.txt:5:1: error: The format fits no entity of the model. The error of the nearest one: "
                    + "Person has no property 'nmae'. Did you mean 'name'?"), "\(checked)")
        #expect(
            checked.output.hasSuffix(
                "5 formats, 3 valid, 2 invalid; 1 of the valid ones only parsed, because %K has no key path\n"
            ))
        try folder.write(
            "uses\tformat\tentity\n1\t\"name == \"\"a\"\"\"\tPerson\n2\ttitle == 1\tPerson\n",
            at: "formats.tsv")
        let table = try run("check", "--json", "--file", "formats.tsv", "--model", "Staff.xcdatamodel")
        #expect(table.status == 1)
        let findings = try #require(
            try JSONSerialization.jsonObject(with: Data(table.output.utf8)) as? [[String: Any]])
        #expect(findings.map { $0["line"] as? Int } == [2, 3])
        #expect(findings.map { $0["error"] == nil } == [true, false])
        #expect(findings[0]["entities"] as? [String] == ["Person"])
        try folder.write("a\tb\n", at: "other.tsv")
        #expect(try run("parse", "--file", "other.tsv").complaint.contains("no column 'format'"))
        #expect(try run("parse", "--file", "none.txt").complaint.contains("Cannot read none.txt"))
    }

    /// Files as editors, spreadsheets and other systems leave them, and those that are none.
    @Test func filesOfAllKindsAreRead() throws {
        let model = ["--model", "Staff.xcdatamodel"]
        func check(_ name: String, _ more: [String] = []) throws -> Tool.Outcome {
            try Tool.run(["predicate", "check", "--file", name] + model + more, in: folder)
        }
        try folder.write("\u{FEFF}age == 1\r\n\r\nname == 'a'\r\n", at: "windows.txt")
        let windows = try check("windows.txt")
        #expect(windows.status == 0 && windows.output == "2 formats, 2 valid, 0 invalid\n", "\(windows)")
        try folder.write("", at: "empty.txt")
        let empty = try check("empty.txt")
        #expect(empty.status == 0 && empty.output == "0 formats, 0 valid, 0 invalid\n")
        #expect(try check("empty.txt", ["--table"]).status == 0)
        try folder.write(
            "\u{FEFF}format\tentity\r\nage == 1\tPersn\r\nage == 1\tPerson\r\nage >\r\n", at: "t.txt")
        let table = try check("t.txt", ["--table"])
        #expect(table.status == 1 && table.output.hasSuffix("3 formats, 1 valid, 2 invalid\n"), "\(table)")
        #expect(table.output.contains("t.txt:2: error: ") && table.output.contains("Did you mean 'Person'"))
        #expect(table.output.contains("t.txt:4:6: error: "))
        try folder.write("a\0b", at: "binary.txt")
        let binary = try check("binary.txt")
        #expect(binary.status == 1 && binary.complaint.contains("binary.txt is not a text file"))
        let values = (0..<50_000).map(String.init).joined(separator: ", ")
        try folder.write("age IN {\(values)}\nage IN {\(values)} AND\n", at: "long.txt")
        let long = try check("long.txt")
        #expect(long.status == 1 && long.output.utf8.count < 800 && long.output.contains("long.txt:2:"))
        #expect(try check("windows.txt", ["--entity", "Team"]).status == 1)
        #expect(try Tool.run(["predicate", "check", "--table", "age == 1"] + model, in: folder).status == 64)
    }

    @Test func standardInputIsAFile() throws {
        try folder.write("age == 1\nagee == 1\n", at: "in.txt")
        let path = folder.path + "/in.txt"
        let checked = try Tool.run(
            ["predicate", "check", "--file", "-", "--model", "Staff.xcdatamodel", "--entity", "Person"],
            in: folder, input: path)
        #expect(checked.status == 1)
        #expect(checked.output.hasPrefix("standard input:2:1: error: "), "\(checked)")
        let none = try Tool.run(["predicate", "parse", "--file", "-"], in: folder)
        #expect(none.status == 0 && none.output == "0 formats, 0 valid, 0 invalid\n", "\(none)")
    }

    @Test func aModelDecidesWhatFits() throws {
        let fitting = try run(
            "check", "--model", "Staff.xcdatamodel", "--entity", "Person",
            "team.title ==[cd] %@ AND born < %@ AND team == %@ AND age BETWEEN %@ AND SELF IN %@")
        #expect(fitting.status == 0 && fitting.output == "valid for Person\n", "\(fitting)")
        for (entity, format, words) in [
            ("Persn", "age == 1", "Did you mean 'Person'"), ("Person", "agee == 1", "'age'"),
            ("Team", "people.age > 1", "ANY, ALL or NONE"), ("Person", "name.first == 'a'", "name"),
        ] {
            let refused = try run("check", "--model", "Staff.xcdatamodel", "--entity", entity, format)
            #expect(refused.complaint.contains("^") == (entity != "Persn"), "\(refused)")
            #expect(refused.status == 1 && refused.complaint.contains(words), "\(format): \(refused)")
        }
        #expect(try run("check", "age == 1").status == 64)
        #expect(try run("check", "--model", "Staff.xcdatamodel").status == 64)
    }

    /// The place of the key path that is meant, where the error itself has none.
    @Test func whatDoesNotFitHasAPlace() throws {
        let formats = [
            ("title == 'a' AND people.age > 1", 18, "invalidOperand"),
            ("title == 'a' AND title CONTAINS 1", 1, "argumentType"),
            ("title == 'people' AND ANY people.age == 'x'", 27, "argumentType"),
            ("people.@count > 0 AND title == 5", 23, "argumentType"),
            ("title.first == 'a'", 1, "unknownKey"),
        ]
        try folder.write(formats.map(\.0).joined(separator: "\n"), at: "places.txt")
        let options = ["--file", "places.txt", "--model", "Staff.xcdatamodel", "--entity", "Team"]
        let shown = try Tool.run(["predicate", "check"] + options, in: folder)
        let json = try Tool.run(["predicate", "check", "--json"] + options, in: folder)
        let findings = try #require(
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]])
        for (line, (format, place, code)) in formats.enumerated() {
            #expect(shown.output.contains("places.txt:\(line + 1):\(place): error: "), "\(shown)")
            let error = findings[line]["error"] as? [String: Any]
            #expect(error?["position"] as? Int == place, "\(format)")
            #expect(error?["code"] as? String == code, "\(format): \(shown)")
        }
    }

    @Test func anEntityThatIsNotThereHasALineOnly() throws {
        try folder.write("format\tentity\nage == 1\tZebra\n", at: "formats.tsv")
        let options = ["--file", "formats.tsv", "--model", "Staff.xcdatamodel"]
        let shown = try Tool.run(["predicate", "check"] + options, in: folder)
        #expect(shown.output.contains("formats.tsv:2: error: "), "\(shown)")
        #expect(shown.output.contains("The model has no entity 'Zebra'."), "\(shown)")
        #expect(shown.output.contains(" (of: age == 1)\n"), "\(shown)")
        let json = try Tool.run(["predicate", "check", "--json"] + options, in: folder)
        let findings = try #require(
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]])
        let error = findings.first?["error"] as? [String: Any]
        #expect(error?["code"] as? String == "unknownEntity" && error?["position"] == nil)
    }

    @Test func theStatementIsPrintedWithItsParameters() throws {
        let shown = try run(
            "sql", "--model", "Staff.xcdatamodel", "--entity", "Team",
            "ANY people.age > %@ OR title IN {'a', \"it's\"}",
            "--argument", "5")
        #expect(shown.status == 0)
        #expect(shown.output.contains("EXISTS (SELECT 1 FROM \"public\".\"person\""))
        #expect(shown.output.hasSuffix("-- $1 = 5\n-- $2 = {'a', 'it''s'}\n"), "\(shown.output)")
    }

    @Test func aDatabaseExplains() async throws {
        let database = try EphemeralPostgres.shared().createDatabase()
        let place = ["--model", "Staff.xcdatamodel", "--database", database.url]
        let format = ["predicate", "explain", "name == 'a'", "--entity", "Person"] + place
        let early = try Tool.run(format, in: folder)
        #expect(
            early.status == 1
                && early.complaint.contains("Create the tables by opening the store with the model"),
            "\(early.complaint)")
        #expect(
            try Tool.run(["data", "generate", "--count", "3", "--seed", "1"] + place, in: folder).status == 0)
        let plan = try Tool.run(format, in: folder)
        #expect(plan.status == 0 && plan.output.contains("Scan on person"), "\(plan)")
        let run = try Tool.run(format + ["--analyze"], in: folder)
        #expect(run.output.contains("Execution Time"), "\(run)")
    }
}
