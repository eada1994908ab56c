import Foundation
import HowdahModel
import HowdahRuntime
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahBrowse

/// CSV for spreadsheets and for `COPY`.
@Suite struct CSVTextTests {
    @Test(arguments: [
        ("=1+1", "'=1+1"), ("@SUM(A1)", "'@SUM(A1)"), ("+49", "+49"), ("-cmd|x", "'-cmd|x"), ("-5.5", "-5.5"),
        ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""), ("two\nlines", "\"two\nlines\""),
        ("=A1,\"x\"", "\"'=A1,\"\"x\"\"\""), ("plain", "plain"), ("", "\"\""),
        ("a\"\u{301}b", "\"a\"\"\u{301}b\""), ("a,\u{301}b", "\"a,\u{301}b\""), ("a\r\nb", "\"a\r\nb\""),
    ])
    func fieldsAreQuotedAndCannotBecomeFormulas(text: String, field: String) {
        #expect(CSVText.field(text) == field)
    }

    @Test("Negative values of types without texts have no apostrophe, and COPY reads them")
    func otherTypesStayAsTheyAre() async throws {
        try await Shop.withSite { site, container in
            let query = """
                SELECT interval '-1 mon' AS i, '-5'::money AS m, interval '-08:00:00' AS k, '-infinity'::timestamp AS t,
                '-5 mons'::text AS x, '=1'::varchar AS v, '@a'::char(2) AS c, '-a'::name AS n, '-x'::"char" AS h
                """
            var request = BrowseRequest(
                method: "POST", target: "/sql",
                headers: [("Host", "a.example"), ("Origin", "https://a.example")])
            request.body = Array("as=csv&query=\(FormText.encoded(query))".utf8)
            let text = try await site.respond(to: request).text()
            #expect(
                text == "i,m,k,t,x,v,c,n,h\r\n-1 mons,-$5.00,-08:00:00,-infinity,'-5 mons,'=1,'@a,'-a,'-\r\n")
            try await container.perform { context in
                let employee = context.insert("Employee")
                (employee["name"], employee["salary"]) = ("-5 mons", Decimal(-5))
                try context.save()
            }
            let csv = try await site.text(
                "/export/Employee.csv?column=name&column=salary&where=salary%20%3C%200")
            #expect(csv.hasSuffix(",'-5 mons,-5\r\n"))
        }
    }

    @Test("COPY reads the rows of an export, with NULL and empty texts")
    func exportsAreReadByCopy() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            let container = try await PersistentContainer.open(database.url, model: Shop.model())
            let texts: [String?] = [
                nil, "", " ", "NULL", "\\N", "\\.", "a,b", "say \"hi\"", "two\nlines", "a\r\nb", "a\rb",
                "x\"\u{301}y", "ä😀",
                "'quoted'", "tab\there", "ends with \\",
            ]
            try await container.perform { context in
                for (number, text) in texts.enumerated() {
                    let employee = context.insert("Employee")
                    (employee["name"], employee["salary"]) = (text, number == 3 ? nil : Decimal(number) / 8)
                    employee["isActive"] = number % 2 == 0
                }
                try context.save()
            }
            let csv = try await BrowseSite(container) { _ in .read }.text(
                "/export/Employee.csv?column=name&column=salary&column=isActive")
            let folder = FileManager.default.temporaryDirectory
            let file = folder.appending(path: "howdah-copy-\(UInt32.random(in: 0 ... .max)).csv")
            try Data(csv.utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let sql = PlainSQL(url: database.url)
            try sql.rows(
                "CREATE TABLE copied (entity text, key bigint, name text, salary numeric, active boolean)")
            try sql.rows("COPY copied FROM '\(file.path)' (FORMAT csv, HEADER)")
            let different = try sql.rows(
                """
                SELECT c.key::text FROM copied c FULL JOIN employee e ON e._id = c.key
                WHERE (c.name, c.salary, c.active) IS DISTINCT FROM (e.name, e.salary, e.is_active)
                """)
            #expect(different.isEmpty)
            #expect(try sql.rows("SELECT count(*)::text FROM copied") == [["\(texts.count)"]])
            await container.close()
        }
    }
}
