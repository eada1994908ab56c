import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import SeededRandom
import TestSupport
import Testing

@testable import HowdahRuntime

/// Whatever stands in a text that a program passes on, the statement is the one it would be without it.
@Suite struct HostileTextTests {
    private struct Texts {
        var random: RandomValues

        static let pieces = [
            "'", "\"", "\\", "\\'", "''", "\"\"", ";", "--", "/*", "*/", "$1", "$$", "$x$", "%@", "%K", "\0",
            "\n", "\u{202E}",
            "DROP TABLE employee", " OR 1=1", "(SELECT 1)", ")", "(", "{", "}", "E'\\x27'", "U&\"\\0022\"",
            "::int", "*", "?",
            "_", "é", "🐘", "firstName", ".", "@count", "#", "first_name", ",", "NULL", " ",
        ]

        mutating func next() -> String {
            (0..<Int.random(in: 1...5, using: &random.generator)).map { _ in
                random.generator.pick(Self.pieces)
            }.joined()
        }
    }

    private static let layouts = Result {
        let model = try Company.model()
        return try StoreLayout(model: model, schema: StoreSchema(model), storeIdentifier: UUID())
    }

    private static func statement(_ request: FetchRequest<Employee>) throws -> String {
        let layouts = try layouts.get()
        let layout = try layouts.required(request.entityName ?? "Employee")
        if let error = request.predicate?.error { throw error }
        let resolved = try RenderedFetch(request, layout: layout, layouts: layouts.entities)
        return FetchStatement(
            resolved, selection: layouts.selection(of: layout), limit: 0, offset: 0,
            comment: request.comment
        ).sql
    }

    private static func statement(ofValues request: FetchRequest<Employee>) throws -> String {
        let layouts = try layouts.get()
        return try ValueStatement(
            request, layout: layouts.required("Employee"), layouts: layouts.entities
        ).sql
    }

    /// The statement with one letter in place of each quoted identifier, literal and comment.
    private static func shape(of sql: String) -> String {
        var shape = ""
        var rest = sql[...]
        func skip(to end: String, doubled: Bool) {
            while let found = rest.range(of: end) {
                rest = rest[found.upperBound...]
                guard doubled, rest.hasPrefix(end) else { return }
                rest = rest.dropFirst(end.count)
            }
            shape += " UNENDED"
            rest = ""
        }
        while let first = rest.first {
            rest = rest.dropFirst()
            switch first {
            case "\"":
                skip(to: "\"", doubled: true)
                shape += "I"
            case "E" where rest.hasPrefix("'"):
                rest = rest.dropFirst()
                while let next = rest.first, next != "'" || rest.hasPrefix("''") {
                    rest = rest.dropFirst(next == "\\" || next == "'" ? 2 : 1)
                }
                shape += rest.isEmpty ? " UNENDED" : "L"
                rest = rest.dropFirst()
            case "'":
                skip(to: "'", doubled: true)
                shape += "L"
            case "/" where rest.hasPrefix("*"):
                skip(to: "*/", doubled: false)
                shape += "C"
            case "-" where rest.hasPrefix("-"): shape += "UNENDED"
            default: shape.append(first)
            }
        }
        return shape
    }

    @Test func argumentsChangeNothing() throws {
        let seed: UInt64 = 77
        var texts = Texts(random: RandomValues(seed: seed))
        let formats = [
            "firstName == %@", "firstName !=[cd] %@", "firstName > %@", "firstName IN %@",
            "firstName CONTAINS[c] %@",
            "firstName BEGINSWITH %@", "firstName ENDSWITH[d] %@", "firstName LIKE %@",
            "department.name == %@",
            "ANY projects.title == %@", "ALL projects.title BEGINSWITH[cd] %@", "%@ == lastName",
            "uppercase:(%@) == lastName", "TERNARY(visits > 1, lastName, %@) == 'x'",
            "SUBQUERY(projects, $p, $p.title == %@ OR $p.title == firstName).@count > 0",
            "firstName BETWEEN {%@, 'z'}", "length:(%@) > visits", "CAST(visits, 'NSString') == %@",
        ]
        for format in formats {
            func tree(_ text: String) -> PredicateTree {
                format.contains("IN %@") ? .format(format, [text]) : .format(format, text)
            }
            let plain = try Self.statement(.init(matching: tree("a")))
            for _ in 0..<200 {
                let text = texts.next()
                let sql: String
                do {
                    sql = try Self.statement(.init(matching: tree(text)))
                } catch let error as PredicateTreeError {
                    Issue.record("seed \(seed), \(format) with \(text.debugDescription): \(error)")
                    continue
                } catch {
                    // Text with NUL is no text to PostgreSQL.
                    #expect(
                        text.contains("\0"), "seed \(seed), \(format) with \(text.debugDescription): \(error)"
                    )
                    continue
                }
                #expect(sql == plain, "seed \(seed), \(format) with \(text.debugDescription)")
            }
        }
    }

    /// A name is one of the model's, or an error.
    @Test func namesAreTheModelsOrErrors() throws {
        let seed: UInt64 = 78
        var texts = Texts(random: RandomValues(seed: seed))
        let places: [(String, (String) throws -> String)] = [
            ("%K", { try Self.statement(.init(matching: .format("%K == 1", $0))) }),
            ("%K of members", { try Self.statement(.init(matching: .format("ANY %K == 'a'", $0))) }),
            ("a format", { try Self.statement(.init(matching: .format($0))) }),
            ("a part of a format", { try Self.statement(.init(matching: .format("visits == 1 AND \($0)"))) }),
            (
                "a tree",
                {
                    try Self.statement(
                        .init(
                            matching: PredicateTree(
                                .comparison(lhs: .keyPath([$0]), op: .equal, rhs: .constant(.string("a"))))))
                }
            ),
            (
                "a variable",
                {
                    try Self.statement(
                        .init(
                            matching: PredicateTree(
                                .comparison(lhs: .variable($0), op: .equal, rhs: .constant(.string("a"))))))
                }
            ),
            ("a sort key", { try Self.statement(.init(sortedBy: $0)) }),
            (
                "a decoded sort key",
                {
                    let data = try JSONEncoder().encode(["keyPath": $0, "isAscending": ""])
                    let json = String(decoding: data, as: UTF8.self).replacing(
                        #""isAscending":"""#, with: #""isAscending":true"#)
                    var request = FetchRequest<Employee>()
                    request.sortDescriptors = [
                        try JSONDecoder().decode(SortKey<Employee>.self, from: Data(json.utf8))
                    ]
                    return try Self.statement(request)
                }
            ),
            ("an entity", { try Self.statement(FetchRequest(entityName: $0)) }),
            (
                "a column",
                {
                    var request = FetchRequest<Employee>()
                    request.propertiesToFetch = [.property($0)]
                    return try Self.statement(ofValues: request)
                }
            ),
            (
                "an aggregate",
                {
                    var request = FetchRequest<Employee>()
                    request.propertiesToFetch = [.count($0, as: "n")]
                    return try Self.statement(ofValues: request)
                }
            ),
            (
                "a group",
                {
                    var request = FetchRequest<Employee>()
                    (request.propertiesToFetch, request.propertiesToGroupBy) = ([.count()], [.property($0)])
                    return try Self.statement(ofValues: request)
                }
            ),
            (
                "a condition on groups",
                {
                    var request = FetchRequest<Employee>()
                    (request.propertiesToFetch, request.propertiesToGroupBy) = ([.count()], ["lastName"])
                    request.havingPredicate = PredicateTree(
                        .comparison(lhs: .keyPath([$0]), op: .equal, rhs: .constant(1)))
                    return try Self.statement(ofValues: request)
                }
            ),
            (
                "a property to search",
                {
                    var request = FetchRequest<Employee>()
                    request.search = TextSearch("a", in: $0, language: "english")
                    return try Self.statement(request)
                }
            ),
        ]
        let known = Set(try Self.layouts.get().entities.flatMap { $0.slots.map(\.name) } + ["Employee"])
        for (place, build) in places {
            var refused = 0
            for round in 0..<250 {
                let name = round.isMultiple(of: 5) ? "firstName" + texts.next() : texts.next()
                guard !known.contains(name) else { continue }
                do {
                    let sql = try build(name)
                    // What is left are formats and paths that say something harmless.
                    #expect(
                        !sql.contains("DROP") && !Self.shape(of: sql).contains("UNENDED"), "\(place): \(sql)")
                    #expect(
                        place.contains("format") || place.contains("%K") || name == ".",
                        "seed \(seed), \(place): \(name.debugDescription) gave \(sql)")
                } catch is PredicateTreeError {
                    refused += 1
                } catch let error as FetchError {
                    refused += 1
                    #expect([.invalidRequest, .unknownEntity].contains(error.code), "\(place): \(error)")
                }
            }
            #expect(refused > 200, "\(place)")
        }
    }

    /// Labels of columns, tags, languages and words of searches.
    @Test func labelsAreNoPartOfTheStatement() throws {
        let seed: UInt64 = 79
        var texts = Texts(random: RandomValues(seed: seed))
        var search = FetchRequest<Employee>()
        search.search = TextSearch("a", in: "lastName", language: "english")
        let searched = Self.shape(of: try Self.statement(search))
        let tagged = Self.shape(of: try Self.statement(FetchRequest<Employee>().tagged("a")))
        var labelled = FetchRequest<Employee>()
        labelled.propertiesToFetch = [.count(as: "a"), .maximum("lastName", as: "b")]
        let counted = try Self.statement(ofValues: labelled)
        for _ in 0..<1_000 {
            let text = texts.next()
            #expect(
                Self.shape(of: try Self.statement(FetchRequest<Employee>().tagged(text))) == tagged,
                "seed \(seed): \(text.debugDescription)")
            labelled.propertiesToFetch = [.count(as: text), .maximum("lastName", as: text + "b")]
            #expect(try Self.statement(ofValues: labelled) == counted)
            guard !text.contains("\0") else { continue }
            search.search = TextSearch(text, in: "lastName", language: text)
            let sql = try Self.statement(search)
            #expect(Self.shape(of: sql) == searched, "seed \(seed): \(text.debugDescription): \(sql)")
        }
    }

    /// Names of a model are quoted, whatever is in them.
    @Test func modelsOfHostileNamesHaveTheSameStatements() throws {
        func statement(_ entity: String, _ attribute: String, _ relationship: String) throws -> String? {
            guard
                let model = try? ManagedObjectModel(entities: [
                    EntityDescription(
                        entity,
                        properties: [
                            .attribute(attribute, .string),
                            .relationship(relationship, to: entity, inverse: relationship + "s"),
                            .relationship(
                                relationship + "s", to: entity, inverse: relationship, toMany: true),
                        ])
                ])
            else { return nil }
            let layouts = try StoreLayout(model: model, schema: StoreSchema(model), storeIdentifier: UUID())
            let layout = try #require(layouts.layout(named: entity))
            var request = FetchRequest<ManagedObject>(entityName: entity)
            request.predicate = PredicateTree(
                .and([
                    .comparison(lhs: .keyPath([attribute]), op: .equal, rhs: .constant(.string("x"))),
                    .comparison(
                        lhs: .keyPath([relationship, attribute]), op: .equal, rhs: .constant(.string("y"))),
                    .comparison(
                        lhs: .keyPath([relationship + "s", attribute]), op: .equal,
                        rhs: .constant(.string("z")),
                        modifier: .any),
                ]))
            let resolved = try RenderedFetch(request, layout: layout, layouts: layouts.entities)
            return FetchStatement(
                resolved, selection: layouts.selection(of: layout), limit: 0, offset: 0
            ).sql
        }
        let seed: UInt64 = 80
        var texts = Texts(random: RandomValues(seed: seed))
        let plain = Self.shape(of: try #require(try statement("Row", "name", "owner")))
        var made = 0
        for _ in 0..<300 {
            let (entity, attribute, relationship) = (texts.next(), texts.next(), texts.next())
            guard let sql = try? statement(entity, attribute, relationship) else { continue }
            made += 1
            #expect(
                Self.shape(of: sql) == plain, "seed \(seed): \(entity), \(attribute), \(relationship): \(sql)"
            )
        }
        #expect(made > 30, "\(made) of 300 models could be made")
    }

    /// The server finds what memory finds, and nothing else happens to it.
    @Test func theServerSeesValues() async throws {
        try await withTestStore(Company.model()) { container in
            try await container.perform { context in
                let seed: UInt64 = 81
                var texts = Texts(random: RandomValues(seed: seed))
                let names = (0..<60).map { _ in texts.next().replacing("\0", with: "0") }
                let employees = names.map { name in
                    let employee = Employee(context: context)
                    employee.firstName = name
                    return employee
                }
                try context.save()
                for name in names {
                    for format in [
                        "firstName == %@", "firstName CONTAINS[cd] %@", "firstName BEGINSWITH %@",
                        "firstName ENDSWITH[c] %@", "firstName IN[cd] %@",
                    ] {
                        let tree =
                            format.contains("IN[")
                            ? PredicateTree.format(format, [name]) : .format(format, name)
                        let found = try context.fetch(Employee.self, matching: tree)
                        let expected = try employees.filter { try tree.evaluate(with: $0) }
                        #expect(
                            Set(found) == Set(expected), "seed \(seed), \(format): \(name.debugDescription)")
                        #expect(!found.isEmpty)
                    }
                }
                #expect(try context.count(Employee.self) == 60)
            }
        }
    }
}

extension FetchRequest {
    fileprivate init(matching predicate: PredicateTree? = nil, sortedBy key: String? = nil) {
        self.init()
        self.predicate = predicate
        sortDescriptors = key.map { [.key($0)] } ?? []
    }
}
