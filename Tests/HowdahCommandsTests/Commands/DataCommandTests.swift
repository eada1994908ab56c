import Foundation
import HowdahTesting
import PQClient
import Testing

@Suite struct DataCommandTests {
    private static let model = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Author" representedClassName="Author" syncable="YES">
                <attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" \
        destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
            </entity>
            <entity name="Book" representedClassName="Book" syncable="YES">
                <attribute name="isbn" attributeType="String"/>
                <attribute name="pages" optional="YES" attributeType="Integer 32" usesScalarValueType="YES"/>
                <relationship name="author" maxCount="1" deletionRule="Nullify" destinationEntity="Author" \
        inverseName="books" inverseEntity="Author"/>
                <uniquenessConstraints><uniquenessConstraint><constraint value="isbn"/></uniquenessConstraint>\
        </uniquenessConstraints>
            </entity>
        </model>
        """

    /// A folder with a bundle of the versions v1 and v2, the current one.
    private static func folder() throws -> ToolFolder {
        let folder = try ToolFolder()
        let bundle = folder.path + "/Library.xcdatamodeld"
        for (version, text) in [("v1", model.replacing("pages", with: "leaves")), ("v2", model)] {
            let path = "\(bundle)/\(version).xcdatamodel"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try text.write(toFile: path + "/contents", atomically: true, encoding: .utf8)
        }
        let current = ["_XCCurrentVersionName": "v2.xcdatamodel"]
        try PropertyListSerialization.data(fromPropertyList: current, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: bundle + "/.xccurrentversion"))
        return folder
    }

    @Test func noStoreIsMadeBesideTheTablesOfAnotherProgram() throws {
        let folder = try Self.folder()
        let database = try EphemeralPostgres.shared().createDatabase()
        let connection = try Connection(ConnectionConfiguration(database.url))
        try connection.executeScript("CREATE TABLE notes (id serial PRIMARY KEY, body text)")
        connection.close()
        let generate = [
            "data", "generate", "--model", "Library.xcdatamodeld", "--database", database.url, "--count", "1",
        ]
        let refused = try Tool.run(generate, in: folder)
        #expect(refused.status == 1 && refused.output.isEmpty)
        #expect(refused.complaint.contains("has tables of another program (notes)"), "\(refused.complaint)")
        let made = try Tool.run(generate + ["--schema", "sample"], in: folder)
        #expect(made.status == 0, "\(made.complaint)")
        // A model of those tables is none that a store can be made of.
        let pulled = try Tool.run(
            "model", "pull", "--database", database.url, "-o", "pulled.json", in: folder)
        #expect(pulled.status == 0)
        let sql = try Tool.run("model", "sql", "pulled.json", in: folder)
        #expect(
            sql.status == 1 && sql.complaint.contains("tables that another program created"),
            "\(sql.complaint)")
        let filled = try Tool.run(
            "data", "generate", "--model", "pulled.json", "--database", database.url, "--schema", "other",
            in: folder)
        #expect(filled.status == 1 && filled.complaint.contains("existingTables"), "\(filled.complaint)")
        let nowhere = try Tool.run(
            "model", "pull", "--database", database.url, "--schema", "nowhere", in: folder)
        #expect(nowhere.status == 1 && nowhere.output.isEmpty)
        #expect(nowhere.complaint.contains("no schema 'nowhere'"), "\(nowhere.complaint)")
    }

    @Test func aStoreIsMadeAndFilled() throws {
        let folder = try Self.folder()
        let database = try EphemeralPostgres.shared().createDatabase()
        let made = try Tool.run(
            "data", "generate", "--model", "Library.xcdatamodeld", "--database", database.url, "--seed", "4",
            "--count", "12", in: folder)
        #expect(made.status == 0, "\(made.complaint)")
        #expect(made.output.hasPrefix("12  Author\n12  Book\n24 objects in 1 save, "))
        #expect(try rows(database.url, "public.book") == "12")

        let again = try Tool.run(
            "data", "generate", "--model", "Library.xcdatamodeld", "--database", database.url, "--seed", "4",
            in: folder)
        #expect(
            again.status == 1
                && again.complaint.hasPrefix("Writing to database \(database.name) on ")
                && again.complaint.contains(
                    "\nError: The store already has objects with the unique values of seed 4, perhaps from an earlier run. "
                )
                && again.complaint.contains("Use another --seed."),
            "\(again.complaint)")

        let older = try Tool.run(
            "data", "generate", "--model", "Library.xcdatamodeld", "--version", "v1", "--database",
            database.url,
            "--schema", "older", in: folder)
        #expect(older.status == 0 && older.output.hasPrefix("10  Author\n10  Book\n"), "\(older.complaint)")
        #expect(try rows(database.url, "older.book WHERE leaves IS NULL OR leaves IS NOT NULL") == "10")
        try database.drop()
    }

    @Test func whatIsWrongIsSaidInOneLine() throws {
        let folder = try Self.folder()
        let database = try EphemeralPostgres.shared().createDatabase()
        func complaint(_ arguments: String...) throws -> String {
            let usual = ["--model", "Library.xcdatamodeld", "--database", database.url]
            var words = ["data", "generate"] + usual
            for pair in stride(from: 0, to: arguments.count, by: 2) {
                if let place = words.firstIndex(of: arguments[pair]) {
                    words[place + 1] = arguments[pair + 1]
                } else {
                    words += arguments[pair...pair + 1]
                }
            }
            let outcome = try Tool.run(words, in: folder)
            #expect(outcome.output.isEmpty)
            let lines = outcome.complaint.split(separator: "\n")
            #expect(outcome.status == 64 || lines.count == 1, "\(outcome.complaint)")
            return "\(outcome.status) \(lines.first ?? "")"
        }
        #expect(
            try complaint("--model", "None.xcdatamodeld").hasSuffix(
                "The file does not exist. Check the path."))
        #expect(try complaint("--version", "v3").hasPrefix("1 Error: "))
        #expect(
            try complaint("--version", "v3").contains(
                "The model has no version \"v3\". Choose one of "
                    + "its versions: v1, v2."))
        #expect(
            try complaint("--database", "postgres:///x?host=/nowhere")
                .hasPrefix("1 Error: The store cannot be used (database): The database cannot be reached"))
        #expect(
            try complaint("--database", "postgres://%%%")
                .hasPrefix(
                    "1 Error: The store cannot be used (database): The connection string cannot be read"))
        #expect(try complaint("--count", "-1").hasPrefix("64 Error: "))
        #expect(try complaint("--seed", "x").hasPrefix("64 Error: "))
        #expect(try complaint("--schema", "").hasPrefix("64 Error: "))
        _ = try Tool.run(
            "data", "generate", "--model", "Library.xcdatamodeld", "--version", "v1", "--database",
            database.url,
            "--count", "0", in: folder)
        #expect(try complaint().hasPrefix("1 Error: The store cannot be used (incompatibleModel): "))
        try database.drop()
    }

    private func rows(_ url: String, _ table: String) throws -> String {
        let connection = try Connection(ConnectionConfiguration(url))
        defer { connection.close() }
        return try connection.query("SELECT count(*) FROM \(table)").map { "\($0[0].int64)" }.joined()
    }
}
