import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import PQClient
import Testing

@testable import HowdahRuntime

/// The text of statements, without a server.
@Suite struct StatementTextTests {
    private static let layouts = Result {
        let model = try Company.model()
        return try StoreLayout(model: model, schema: StoreSchema(model), storeIdentifier: UUID())
    }

    private func sql(
        _ predicate: PredicateTree?, _ keys: SortKey<Employee>..., entity: String = "Employee", limit: Int = 0
    ) throws -> String {
        let layouts = try Self.layouts.get()
        let layout = try #require(layouts.layout(named: entity))
        var request = FetchRequest<Employee>(entityName: entity)
        request.predicate = predicate
        request.sortDescriptors = keys
        let resolved = try RenderedFetch(request, layout: layout, layouts: layouts.entities)
        return FetchStatement(
            resolved, selection: layouts.identities(of: layout), limit: limit, offset: limit
        ).sql
    }

    private func expectError(
        _ format: String, _ code: PredicateTreeError.Code, _ parts: [String],
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(sourceLocation: location) {
            try sql(.format(format))
        } throws: { error in
            guard let error = error as? PredicateTreeError else { return false }
            return error.code == code && parts.allSatisfy { error.description.contains($0) }
        }
    }

    @Test func aPredicateHasTheTextOfItsFormat() throws {
        let id = ObjectID<Department>(storeIdentifier: UUID(), entityName: "Department", key: 1)
        let cases: [(Predicate<Employee>, PredicateTree)] = [
            (#Predicate { $0.department?.objectID == id }, .format("department == %@", id)),
            (#Predicate { $0.department?.name == "x" }, .format("department.name == 'x'")),
            (#Predicate { ($0.location?.latitude ?? 0) > 5 }, .format("location.latitude > 5.0")),
            (#Predicate { $0.projects.contains { $0.title == "x" } }, .format("ANY projects.title == 'x'")),
            (
                #Predicate { ($0.department?.employees.count ?? 0) > 3 },
                .format("department.employees.@count > 3")
            ),
        ]
        for (predicate, format) in cases {
            #expect(try sql(PredicateTree(predicate)) == sql(format))
        }
        #expect(try !sql(PredicateTree(cases[0].0)).contains("JOIN"))
    }

    @Test func valuesNeverChangeTheText() throws {
        let shapes: [(String, [[(any Sendable)?]])] = [
            ("firstName == %@", [["a"], ["' OR 1=1 --"], ["\"; DROP TABLE employee; --"], ["$1"], [""]]),
            ("visits > %@", [[1], [Int.max], [0]]),
            ("visits == %@", [[1.5], [2.0], [Double.nan], [1e300], [-Double.infinity]]),
            ("salary <= %@", [[1.5], [2.0], [Double.nan], [1e300]]),
            ("salary IN %@", [[[1.5, 2.5]], [[1.0]]]), ("firstName IN %@", [[["a"]], [["a", "b", "c'"]]]),
            ("firstName LIKE %@", [["a*"], ["\\"], ["%_'"]]), ("visits BETWEEN %@", [[[1, 2]], [[5, -1]]]),
            ("location.latitude < %@", [[1.0], [Double.infinity]]),
            (
                "SELF IN %@",
                [1, 2, 5].map { count in
                    [
                        (0..<count).map {
                            ObjectID<Employee>(
                                storeIdentifier: UUID(), entityName: "Employee", key: Int64($0))
                        }
                    ]
                }
            ),
            ("NOT (department.name CONTAINS %@ OR ANY projects.title == %@)", [["a", "b"], ["'", "\\"]]),
            ("visits + %@ > %@", [[1, 2], [Int.max, 0]]),
            ("uppercase:(firstName) == uppercase:(%@)", [["a"], ["' --"]]),
            ("TERNARY(visits > %@, firstName, %@) == 'x'", [[1, "a"], [2, "'); DROP TABLE x; --"]]),
            ("SUBQUERY(projects, $p, $p.title == %@).@max.title > %@", [["a", "b"], ["'", "DROP"]]),
            ("salary * %@ IN {visits, %@}", [[1.5, 1], [2.5, 2]]),
        ]
        for (format, arguments) in shapes {
            let texts = Set(
                try arguments.map {
                    try sql(try PredicateTree(format: format, arguments: $0), limit: $0.isEmpty ? 1 : 2)
                })
            // The type of a number may have the column cast.
            let plain = Set(texts.map { $0.replacing("::numeric", with: "").replacing("::float8", with: "") })
            #expect(plain.count == 1 && texts.count <= 3, "\(format): \(texts)")
            #expect(texts.first?.contains("DROP") == false)
        }
    }

    @Test func hostileNamesAreRefusedOrQuoted() throws {
        for name in ["x\"; DROP TABLE employee; --", "firstName\" IS NULL OR \"a", "'", "firstName) OR (1=1"]
        {
            #expect(throws: PredicateTreeError.self) { try sql(nil, .key(name)) }
            let tree = PredicateTree(.comparison(lhs: .keyPath([name]), op: .equal, rhs: .constant(1)))
            #expect(throws: PredicateTreeError.self) { try sql(tree) }
        }
        let entity = "Row\"; DROP TABLE x; --"
        let model = try ManagedObjectModel(entities: [
            EntityDescription(entity, properties: [.attribute("a\"b'c\\", .string)])
        ])
        let layouts = try StoreLayout(model: model, schema: StoreSchema(model), storeIdentifier: UUID())
        let layout = try #require(layouts.layout(named: entity))
        #expect(SQLIdentifier.quoted("a\"b") == "\"a\"\"b\"")
        #expect(
            !layout.table.name.dropFirst().dropLast().replacing("\"\"", with: "").replacing("\".\"", with: "")
                .contains("\""))
    }

    @Test func errorsNameTheRemedy() {
        expectError("fristName == 'a'", .unknownKey, ["Employee", "fristName", "'firstName'"])
        expectError("department.nam == 'a'", .unknownKey, ["Department", "'name'"])
        expectError("location.lat == 1", .unknownKey, ["latitude"])
        expectError("firstName.x == 1", .unknownKey, ["attribute"])
        expectError("projects.title == 'a'", .invalidOperand, ["to-many", "ANY"])
        expectError("ANY firstName == 'a'", .invalidOperand, ["ANY"])
        expectError("firstName == 1", .argumentType, ["Employee.firstName", "integer"])
        expectError("visits == 'a'", .argumentType, ["Employee.visits"])
        expectError("hiredAt > 5", .argumentType, ["Employee.hiredAt"])
        expectError("department == 'R'", .argumentType, ["Department", "ObjectID"])
        expectError("visits CONTAINS 'a'", .argumentType, ["CONTAINS"])
        expectError("department.@count == 1", .invalidOperand, ["@count"])
        expectError("firstName == $name", .unboundVariable, ["$name"])
        expectError("firstName == ", .syntax, [])
        expectError("department.nmae == 'a'", .unknownKey, ["department.nmae", "'name'"])
        expectError("firstName + 1 == 2", .argumentType, ["Employee.firstName", "number"])
        expectError("hiredAt + 1 > 2", .argumentType, ["Employee.hiredAt", "CAST"])
        expectError("uppercase:(visits) == 'a'", .argumentType, ["Employee.visits", "string"])
        expectError("projects.title + 1 == 2", .invalidOperand, ["Employee.projects.title", "sum:"])
        expectError("SUBQUERY(department, $x, TRUEPREDICATE).@count > 0", .invalidOperand, ["to-many"])
        expectError(
            "SUBQUERY(projects, $x, $x.tilte == 'a').@count > 0", .unknownKey, ["Project", "'title'"])
        expectError("SUBQUERY(projects, $x, $y == 1).@count > 0", .unboundVariable, ["$y"])
        expectError("projects[0].title == 'a'", .invalidOperand, ["Employee.projects", "order"])
        expectError("projects.@sum.title > 1", .argumentType, ["sum:", "title"])
        expectError("firstName.@count > 1", .invalidOperand, ["@count", "firstName"])
        expectError("TERNARY(visits > 1, visits, 1.5) == 1", .argumentType, ["visits", "CAST"])
        expectError("(projects UNION department.employees).@count > 1", .invalidOperand, ["UNION"])
        expectError("visits & salary == 1", .argumentType, ["&", "integers"])
        #expect { try sql(nil, .key("projects.title")) } throws: {
            ($0 as? FetchError)?.code == .invalidRequest
        }
        #expect { try sql(nil, .key("location")) } throws: {
            ($0 as? FetchError)?.code == .invalidRequest
        }
        #expect { try sql(nil, .key("")) } throws: { ($0 as? FetchError)?.code == .invalidRequest }
        for path in ["firstName.", ".firstName", "department..name", "department."] {
            #expect("\(path)") { try sql(nil, .key(path)) } throws: {
                ($0 as? PredicateTreeError)?.code == .unknownKey
            }
        }
        #expect { try sql(nil, .key("visit", ascending: false)) } throws: {
            ($0 as? PredicateTreeError)?.code == .unknownKey
        }
    }

    @Test func oneRelationshipIsJoinedOnce() throws {
        let text = try sql(
            .format("department.name == 'a' AND (department.budget > 1 OR department.head.firstName == 'b')"),
            .key("department.name"))
        #expect(text.components(separatedBy: "LEFT JOIN").count - 1 == 2, "\(text)")
        let any = try sql(
            .format("ANY projects.members.@count > 3"), .key("department.head.lastName", ascending: false))
        #expect(any.components(separatedBy: "LEFT JOIN").count - 1 == 2, "\(any)")
        #expect(any.contains("EXISTS"))
        let deep = "department" + String(repeating: ".head.department", count: 40) + ".name"
        #expect(throws: FetchError.self) { try sql(.format("\(deep) == 'a'")) }
    }

    @Test func subqueriesAskForExistence() throws {
        for (format, isNegated) in [
            ("> 0", false), (">= 1", false), ("!= 0", false), ("== 0", true), ("< 1", true),
        ] {
            let text = try sql(.format("SUBQUERY(projects, $p, $p.title == firstName).@count \(format)"))
            #expect(text.contains("EXISTS") && !text.contains("count("), "\(text)")
            #expect(text.contains("NOT EXISTS") == isNegated, "\(text)")
        }
        let counted = try sql(.format("SUBQUERY(projects, $p, $p.title == firstName).@count > 1"))
        #expect(counted.contains("(SELECT pg_catalog.count(*) FROM"), "\(counted)")
        let inner = try sql(.format("SUBQUERY(projects, $p, $p.title == department.name).@count > 0"))
        // The object around it is joined outside.
        #expect(inner.components(separatedBy: "EXISTS")[0].contains("LEFT JOIN"), "\(inner)")
    }

    @Test func everySortEndsWithTheID() throws {
        #expect(try sql(nil).hasSuffix("ORDER BY t0.\"_id\""))
        let text = try sql(nil, .key("lastName"), .key("department.name", ascending: false))
        #expect(text.contains("ASC NULLS FIRST"))
        #expect(text.contains("DESC NULLS LAST"))
        #expect(text.hasSuffix(", t0.\"_id\""))
    }
}
