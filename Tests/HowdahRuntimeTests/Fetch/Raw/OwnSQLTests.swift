import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Statements of one's own, tags, explanations and text search.
@Suite struct OwnSQLTests {
    @Test func valuesAreParameters() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(5)
            try await store.container.perform { (context) throws in
                for text in ["E3", "' OR 1=1 --", "E3'; DROP TABLE employee; --", "$1"] {
                    let query: SQLQuery = "SELECT _id FROM employee WHERE first_name = \(text)"
                    #expect(query.text == "SELECT _id FROM employee WHERE first_name = $1")
                    #expect(
                        try context.fetch(Employee.self, sql: query).map(\.firstName)
                            == (text == "E3" ? ["E3"] : []))
                }
                let keys = ["E4", "E0"]
                let found = try context.fetch(
                    Employee.self,
                    sql:
                        "SELECT \(name: "_id") FROM employee WHERE first_name = ANY(\(keys)) ORDER BY first_name DESC"
                )
                #expect(found.map(\.firstName) == ["E4", "E0"])
                let rows = try context.fetchRows(
                    String.self, Date?.self, Int.self,
                    sql:
                        "SELECT first_name, hired_at, visits FROM employee WHERE _id = \(ids[2]) AND visits <= \(7)"
                )
                #expect(rows.count == 1 && rows[0].0 == "E2" && rows[0].1 == nil && rows[0].2 == 0)
                #expect(
                    try context.fetchRows(Int.self, sql: "SELECT 1 WHERE \(Int?.none as Int?) IS NULL") == [1]
                )
            }
        }
    }

    @Test func whatDoesNotFitIsRefused() async throws {
        try await CompanyStore.with { store in
            try await store.container.perform { (context) throws in
                expect(.invalidRequest) { try context.fetchRows(Int.self, sql: "SELECT 'a'::text") }
                expect(.invalidRequest) { try context.fetchRows(Int.self, sql: "SELECT 1, 2") }
                expect(.invalidRequest) { try context.fetchRows(Int.self, Int.self, sql: "SELECT 1") }
                expect(.invalidValue) { try context.fetchRows(Int.self, sql: "SELECT NULL::int8") }
                expect(.invalidValue) {
                    try context.fetchRows(Int.self, sql: "SELECT 1 WHERE 'a' = \("a\0b")")
                }
                expect(.invalidRequest) {
                    try context.fetch(Employee.self, sql: "SELECT first_name FROM employee")
                }
                expect(.database) { try context.fetch(Employee.self, sql: "SELECT nonsense") }
            }
        }
    }

    @Test func rowsOfOtherClassesAreLeftOut() async throws {
        try await withTestStore(Staff.model()) { container in
            try await container.perform { context in
                let (person, worker, boss) = (
                    Person(context: context), Worker(context: context), Boss(context: context)
                )
                (person.name, worker.name, boss.name) = ("p", "w", "b")
                try context.save()
            }
            // Known to the context, or not.
            for isKnown in [false, true] {
                try await container.perform { (context) throws in
                    let known = isKnown ? try context.fetch(Person.self) : []
                    #expect(
                        try context.fetch(Boss.self, sql: "SELECT _id FROM person WHERE name = 'p'").isEmpty)
                    let bosses = try context.fetch(Boss.self, sql: "SELECT _id FROM person ORDER BY name")
                    #expect(bosses.map(\.name) == ["b"])
                    let workers = try context.fetch(Worker.self, sql: "SELECT _id FROM person ORDER BY name")
                    #expect(workers.map(\.name) == ["b", "w"] && workers.first === bosses.first)
                    let all = try context.fetch(Person.self, sql: "SELECT _id FROM person ORDER BY name")
                    #expect(all.map(\.name) == ["b", "p", "w"])
                    #expect(known.isEmpty || Set(known) == Set(all))
                }
            }
        }
    }

    /// A foreign key that another program has lead to a row of another entity.
    @Test func rowsOfOtherClassesAreNoMembers() async throws {
        try await withStore(Staff.model()) { container, sql in
            try await container.perform { context in
                let (person, worker, boss) = (
                    Person(context: context), Worker(context: context), Boss(context: context)
                )
                (person.name, worker.name, boss.name) = ("p", "w", "b")
                worker.boss = boss
                try context.save()
            }
            try sql.rows(
                "UPDATE person SET worker_boss = b._id, worker_boss_entity = 'Boss' FROM person b "
                    + "WHERE b.name = 'b' AND person.name = 'p'")
            try await container.perform { (context) throws in
                var request = FetchRequest<Boss>()
                request.relationshipKeyPathsForPrefetching = ["team"]
                expect(.schemaMismatch) { try context.fetch(request) }
            }
        }
    }

    @Test func columnsAreCheckedBeforeAStatementWrites() async throws {
        try await CompanyStore.with { store in
            _ = try await store.hire(3)
            func visits() async throws -> [Int] {
                try await store.container.perform { (context) throws in
                    try context.fetchRows(Int.self, sql: "SELECT visits FROM employee")
                }
            }
            for _ in 0..<2 {
                try await store.container.perform { (context) throws in
                    expect(.invalidRequest) {
                        try context.fetchRows(
                            String.self, sql: "UPDATE employee SET visits = visits + 1 RETURNING _id")
                    }
                    expect(.invalidRequest) {
                        try context.fetchRows(String.self, sql: "UPDATE employee SET visits = visits + 1")
                    }
                    expect(.invalidRequest) {
                        try context.fetchRows(
                            Int.self, Int.self,
                            sql: "UPDATE employee SET visits = visits + \(1) RETURNING _id")
                    }
                }
                #expect(try await visits() == [0, 0, 0])
            }
            try await store.container.perform { (context) throws in
                store.container.statementLog.start()
                for _ in 0..<2 {
                    #expect(
                        try context.fetchRows(
                            Int.self, sql: "UPDATE employee SET visits = visits + 1 RETURNING _id"
                        ).count == 3)
                    // The same text, read as other types.
                    expect(.invalidRequest) {
                        try context.fetchRows(
                            String.self, sql: "UPDATE employee SET visits = visits + 1 RETURNING _id")
                    }
                    _ = try context.fetchRows(sql: "UPDATE employee SET visits = visits + 10")
                }
                #expect(store.container.statementLog.statements.count == 4)
            }
            #expect(try await visits() == [22, 22, 22])
        }
    }

    @Test(arguments: [
        "payroll", "*/ DROP TABLE employee; /*", "\n--é😀'\"", String(repeating: "*/", count: 500),
    ])
    func tagsNameTheCallSite(label: String) async throws {
        try await CompanyStore.with { store in
            _ = try await store.hire(2)
            try await store.container.perform { (context) throws in
                store.container.statementLog.start()
                for _ in 0..<2 {
                    let request = FetchRequest<Employee>().tagged(label)
                    #expect(try context.fetch(request).count == 2)
                    #expect(try context.count(for: request) == 2)
                    #expect(try context.fetchDictionaries(request).count == 2)
                }
                let sent = store.container.statementLog.statements.map(\.sql)
                #expect(sent.count == 6 && Set(sent).count == 3)
                for sql in sent {
                    let parts = sql.components(separatedBy: "/*")
                    #expect(
                        parts.count == 2 && sql.hasSuffix("*/")
                            && sql.components(separatedBy: "*/").count == 2)
                    if label == "payroll" {
                        #expect(parts[1].contains("payroll") && parts[1].contains("OwnSQLTests.swift:"))
                    }
                }
            }
        }
    }

    /// What a tagged request sends beside its own statement.
    @Test func tagsGoWithWhatIsLoadedBesideAndLater() async throws {
        try await CompanyStore.with { store in
            _ = try await store.hire(25)
            try await store.container.perform { context in
                let project = Project(context: context)
                project.title = "p"
                let department = Department(context: context)
                department.name = "d"
                for employee in try context.fetch(Employee.self) {
                    project.members.insert(employee)
                    employee.department = department
                }
                try context.save()
            }
            func sent(_ body: @escaping @Sendable (ManagedObjectContext) throws -> Void) async throws
                -> [String]
            {
                store.container.statementLog.start()
                try await store.container.perform { try body($0) }
                return store.container.statementLog.statements.map(\.sql)
            }
            var request = FetchRequest<Employee>().tagged("payroll")
            request.relationshipKeyPathsForPrefetching = ["projects", "department"]
            let prefetching = try await sent { [request] in _ = try $0.fetch(request) }
            #expect(prefetching.count == 3)
            request.relationshipKeyPathsForPrefetching = []
            request.fetchBatchSize = 10
            request.sortDescriptors = [.ascending(\.firstName)]
            let lazily = try await sent { [request] (context) throws in
                #expect(try context.fetch(request).map(\.visits).reduce(0, +) == 0)
            }
            #expect(lazily.count == 4)
            request.fetchBatchSize = 0
            let changing = try await sent { [request] in
                try $0.execute(BatchUpdateRequest(request, set: ["visits": 1]))
                try $0.execute(BatchDeleteRequest(request))
            }
            // A deletion locks its rows, and clears references to them, before it deletes, and looks for rests.
            #expect(changing.count == 5)
            for sql in prefetching + lazily + changing {
                #expect(sql.contains("/* payroll ") && sql.hasSuffix("*/"), "\(sql)")
            }
        }
    }

    /// The text is the program's own, so that the server's words about it may be shown.
    @Test func aMistakeInOnesOwnStatementIsTold() async throws {
        try await CompanyStore.with { store in
            try await store.container.perform { context in
                for body in [
                    { _ = try context.fetchRows(Int.self, sql: "SELECT 1 FORM employee") },
                    { _ = try context.fetch(Employee.self, sql: "SELECT 1 FORM employee") },
                ] {
                    let error = #expect(throws: FetchError.self) { try body() }
                    #expect(error?.code == .database && error?.databaseError?.sqlState == "42601")
                    #expect(error?.message.contains("at character 15: ") == true, "\(error?.message ?? "")")
                    #expect(error?.description.contains("\"employee\"") == true)
                }
            }
        }
    }

    struct Theme: AttributeJSON {
        var name = "light"
    }

    @Test func jsonIsReadByItsBytes() async throws {
        try await CompanyStore.with { store in
            try await store.container.perform { context in
                let error = #expect(throws: FetchError.self) {
                    try context.fetchRows(Theme.self, sql: "SELECT '{}'::jsonb AS x")
                }
                #expect(error?.message.contains("convert_to(x::text, 'UTF8')") == true, "\(error as Any)")
                let rows = try context.fetchRows(
                    Theme.self,
                    sql: "SELECT convert_to(jsonb_build_object('name', 'dark')::text, 'UTF8') AS x")
                #expect(rows == [Theme(name: "dark")])
            }
        }
    }

    @Test func errorsNameWhatThereIsOnceAndWhatToDo() async throws {
        try await CompanyStore.with { store in
            try await store.container.perform { context in
                var request = FetchRequest<Employee>()
                request.propertiesToFetch = ["department.name", .count()]
                request.propertiesToGroupBy = ["department.name"]
                request.havingPredicate = .format("zzzzzzzz > 1")
                let error = #expect(throws: PredicateTreeError.self) {
                    try context.fetchDictionaries(request)
                }
                #expect(
                    error?.message.contains("Use one of these: department.name, count.") == true,
                    "\(error as Any)")
                let other = #expect(throws: FetchError.self) {
                    try context.execute(
                        BatchInsertRequest(Employee.self, entityName: "Department", objects: [["name": "a"]]))
                }
                #expect(other?.message.contains("Make a request of Department.") == true)
            }
        }
    }

    @Test func explanationsHaveThePlan() async throws {
        try await CompanyStore.with { store in
            _ = try await store.hire(2)
            try await store.container.perform { (context) throws in
                var request = FetchRequest<Employee>()
                request.predicate = .format("firstName == %@", "E1")
                let preview = try context.explain(request)
                #expect(preview.parameterTexts == ["'E1'"] && preview.sql.contains("$1"))
                #expect(preview.plan.joined().contains("Scan") && !preview.plan.joined().contains("actual"))
                #expect(!preview.description.contains("E1"))
                #expect(try context.explain(request, analyzing: true).plan.joined().contains("actual"))
                request.resultType = .dictionaries
                request.propertiesToFetch = [.count()]
                #expect(try context.explain(request).sql.contains("count(*)"))
            }
        }
    }

    @Test func wordsAreFoundByAnIndex() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Book",
                properties: [.attribute("title", .string), .attribute("blurb", .string)],
                fetchIndexes: [
                    FetchIndexDescription(
                        "words", elements: [.textSearch(onColumns: "title", "blurb", language: "english")],
                        method: .gin)
                ])
        ])
        try await withStore(model) { container, sql in
            try sql.rows(
                "INSERT INTO book (title, blurb) SELECT 'filler ' || i, 'text' FROM generate_series(1, 3000) i"
            )
            try sql.rows(
                "INSERT INTO book (title, blurb) VALUES ('Running water', NULL), ('Rivers', 'water that runs, runs and runs'), "
                    + "('Dry run', 'no river'), (NULL, NULL)")
            try sql.rows("ANALYZE book")
            try await container.perform { (context) throws in
                func titles(_ words: String) throws -> [String] {
                    var request = FetchRequest<ManagedObject>(entityName: "Book")
                    request.search = TextSearch(words, in: "title", "blurb", language: "english")
                    let plan = try context.explain(request).plan.joined(separator: "\n")
                    if words == "run water" { #expect(plan.contains("Index Scan"), "\(plan)") }
                    #expect(try context.count(for: request) == context.fetch(request).count)
                    return try context.fetch(request).map { $0["title"] as? String ?? "-" }
                }
                #expect(try titles("run water") == ["Rivers", "Running water"])
                #expect(try titles("runs -water") == ["Dry run"])
                #expect(try titles("\"water that runs\"") == ["Rivers"])
                #expect(
                    Set(try titles("\"dry run\" or running water")) == ["Dry run", "Rivers", "Running water"])
                for hostile in ["", "'", "\\", "a & | ! :*", "\"", "-", "') OR TRUE --"] {
                    #expect(try titles(hostile).isEmpty)
                }
                var request = FetchRequest<ManagedObject>(entityName: "Book")
                request.search = TextSearch("runs", in: "titel", language: "english")
                #expect(throws: PredicateTreeError.self) { try context.fetch(request) }
                request.search = TextSearch("runs", in: "title", language: "klingon'--")
                expect(.database) { try context.fetch(request) }
                for body in [
                    { _ = try context.fetch(request) }, { _ = try context.count(for: request) },
                    { _ = try context.explain(request) },
                ] {
                    let error = #expect(throws: FetchError.self) { try body() }
                    #expect(
                        error?.message.contains("configuration 'klingon'--'. Name one that") == true)
                }
            }
        }
    }
}
