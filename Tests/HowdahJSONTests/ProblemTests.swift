import Foundation
import Howdah
import HowdahModel
import Testing

@testable import HowdahJSON
@testable import HowdahRuntime

/// The status of each public error.
@Suite struct ProblemTests {
    private static func codes(_ type: String, in file: String) throws -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let source = try String(contentsOf: root.appending(path: "Sources/\(file)"), encoding: .utf8)
        return source.matches(of: /static let (\w+) = Code\(/).map { String($0.1) }
    }

    private static let save: [String: Int] = [
        "conflict": 409, "validation": 422, "uniqueness": 409, "referentialIntegrity": 409,
        "outcomeUnknown": 500,
        "notCommitted": 503, "readOnly": 403, "schemaMismatch": 500, "locked": 503, "deadlock": 503,
        "serializationFailure": 503, "deadlineExceeded": 504, "database": 500,
    ]
    private static let fetch: [String: Int] = [
        "unknownEntity": 400, "invalidRequest": 400, "invalidCursor": 400, "invalidValue": 500,
        "unknownCase": 500,
        "objectNotFound": 404, "foreignID": 404, "tooManyRows": 500, "schemaMismatch": 500, "locked": 503,
        "deadlock": 503, "serializationFailure": 503, "changed": 503, "deadlineExceeded": 504,
        "database": 500,
        "closed": 503,
    ]
    private static let graph: [String: Int] = [
        "invalidJSON": 400, "tooLarge": 413, "invalidEntity": 400, "unknownProperty": 400,
        "notInKeyPaths": 400,
        "invalidValue": 400, "missingValue": 400, "unknownReference": 400, "duplicateObject": 400,
        "contradiction": 400, "refused": 400, "invalidKeyPath": 400,
    ]

    private static let fault =
        "The body is not JSON, or has a number or date that is not valid. Correct it."

    private struct Body: Decodable {
        struct Part: Decodable { let name: String }
        enum Kind: String, Decodable { case one }

        let number: Int16
        let ratio: Double?
        let isDone: Bool?
        let kind: Kind?
        let date: Date?
        let parts: [Part]?
        let named: [String: Int]?
    }

    @Test(
        "A body that cannot be decoded has the place of its fault and JSON's words",
        arguments: [
            ("{", nil, ProblemTests.fault), ("", nil, ProblemTests.fault),
            ("[]", nil, "The body has the wrong type. Send an object."),
            ("{}", "/number", "The value at /number is missing. Send one."),
            (#"{"number":null}"#, "/number", "The value at /number is null. Send an integer."),
            (#"{"number":"1"}"#, "/number", "The value at /number has the wrong type. Send an integer."),
            (#"{"number":99999}"#, nil, ProblemTests.fault),
            (String(repeating: "[", count: 10_000), nil, ProblemTests.fault),
            (
                #"{"number":1,"ratio":"1"}"#, "/ratio",
                "The value at /ratio has the wrong type. Send a number."
            ),
            (
                #"{"number":1,"isDone":1}"#, "/isDone",
                "The value at /isDone has the wrong type. Send true or false."
            ),
            (#"{"number":1,"kind":"two"}"#, "/kind", "The value at /kind is not valid. Correct it."),
            (#"{"number":1,"date":"x"}"#, nil, ProblemTests.fault),
            (#"{"number":1,"parts":{}}"#, "/parts", "The value at /parts has the wrong type. Send an array."),
            (
                #"{"number":1,"parts":[{"name":"a"},{"name":5}]}"#, "/parts/1/name",
                "The value at /parts/1/name has the wrong type. Send a string."
            ),
            (
                #"{"number":1,"named":{"a/b~c":"x"}}"#, "/named/a~1b~0c",
                "The value at /named/a~1b~0c has the wrong type. Send an integer."
            ),
        ] as [(String, String?, String)])
    func invalidBodies(_ body: String, _ pointer: String?, _ detail: String) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let error = try #require(throws: DecodingError.self) {
            _ = try decoder.decode(Body.self, from: Data(body.utf8))
        }
        let problem = ProblemDetails(invalidBody: error)
        #expect(problem.status == 400 && problem.code == "invalidBody" && problem.detail == detail)
        #expect(problem.errors == [.init(pointer: pointer, code: "invalidBody", detail: detail)])
        #expect(ProblemDetails(error).status == 500)
    }

    @Test func eachCodeHasAStatus() throws {
        #expect(
            try Set(Self.codes("SaveError", in: "HowdahRuntime/Failure/SaveError.swift"))
                == Set(Self.save.keys))
        #expect(
            try Set(Self.codes("FetchError", in: "HowdahRuntime/Failure/FetchError.swift"))
                == Set(Self.fetch.keys))
        #expect(
            try Set(Self.codes("GraphError", in: "HowdahJSON/Failure/GraphError.swift"))
                == Set(Self.graph.keys))
        for (code, status) in Self.save {
            let problem = ProblemDetails(SaveError(.init(description: code), "secret"))
            #expect(problem.status == status && problem.code == code, "\(code)")
        }
        for (code, status) in Self.fetch {
            #expect(
                ProblemDetails(FetchError(.init(description: code), "secret")).status == status, "\(code)")
        }
        for (code, status) in Self.graph {
            #expect(ProblemDetails(GraphError(.init(description: code), "m")).status == status, "\(code)")
        }
        #expect(ProblemDetails(SaveError(.conflict, "m"), hasPrecondition: true).status == 412)
        #expect(ProblemDetails(CancellationError()).status == 503)
    }

    private static let predicate: [PredicateTreeError.Code] = [
        .syntax, .unsupported, .argumentCount, .argumentType, .invalidOperand, .tooLarge, .unboundVariable,
        .unknownTemplate, .unknownKey,
    ]

    /// Every public error that a request can end with, by the file that has its codes.
    private static let tables: [(type: String, file: String, make: @Sendable (String) -> any Error)] = [
        ("SaveError", "HowdahRuntime/Failure/SaveError.swift", { SaveError(.init(description: $0), "m") }),
        ("FetchError", "HowdahRuntime/Failure/FetchError.swift", { FetchError(.init(description: $0), "m") }),
        ("StoreError", "HowdahRuntime/Failure/StoreError.swift", { StoreError(.init(description: $0), "m") }),
        ("GraphError", "HowdahJSON/Failure/GraphError.swift", { GraphError(.init(description: $0), "m") }),
        (
            "PredicateTreeError", "HowdahModel/Predicate/Tree/PredicateTreeError+Code.swift",
            { code in PredicateTreeError(predicate.first { $0.description == code } ?? .syntax, "m") }
        ),
    ]

    @Test func thePageHasEachErrorAndItsProblem() throws {
        var lines = ["| error | status | `Retry-After` | message |", "|---|---|---|---|"]
        for (type, file, make) in Self.tables {
            let codes = try Self.codes(type, in: file)
            #expect(!codes.isEmpty, "\(type)")
            for code in codes {
                let problem = ProblemDetails(make(code))
                let tested = ProblemDetails(make(code), hasPrecondition: true)
                let status =
                    problem.status == tested.status
                    ? "\(problem.status)" : "\(problem.status), \(tested.status) with a precondition"
                lines.append(
                    "| `\(type).\(code)` | \(status) | \(problem.retryAfter.map { "\($0)" } ?? "") | \(problem.detail == nil ? "" : "yes") |"
                )
            }
        }
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/http.md"), encoding: .utf8)
        #expect(
            page.contains(lines.joined(separator: "\n")),
            "Put this into docs/http.md:\n\(lines.joined(separator: "\n"))")
    }

    @Test func errorsOfTheServerSayNothingButTheirCode() throws {
        for error in [SaveError(.database, "role x"), SaveError(.outcomeUnknown, "role x")] as [any Error]
            + [
                StoreError(.notAStore, "role x"), FetchError(.schemaMismatch, "role x"),
                CocoaError(.fileNoSuchFile),
            ]
        {
            let problem = ProblemDetails(error)
            #expect(problem.status == 500 && problem.detail == nil && problem.errors.isEmpty)
            #expect(try !String(decoding: problem.json(), as: UTF8.self).contains("role"))
            #expect(problem.retryAfter == nil)
        }
        let lost = PostgresError(.connectionLost, "gone", phase: .execute)
        #expect(ProblemDetails(SaveError(.database, "m", databaseError: lost)).status == 503)
        #expect(
            ProblemDetails(lost).retryAfter == 1
                && ProblemDetails(PostgresError(.poolTimeout, "m")).status == 503)
        #expect(ProblemDetails(PostgresError(.misuse, "m")).status == 500)
    }

    @Test func issuesAreParts() throws {
        let issues = [
            ValidationIssue(nil, "Person", ["address.street"], 1670, "is too long. Shorten it."),
            ValidationIssue(nil, "Person", ["a/b", "c~d"], 1551, "are taken."),
            ValidationIssue(nil, "Person", ["a/b"], 1570, "is missing."),
        ]
        let problem = ProblemDetails(SaveError.validation(issues))
        #expect(problem.errors.map(\.pointer) == ["/address/street", "/a~1b", "/c~0d", "/a~1b"])
        #expect(problem.errors.map(\.code) == ["1670", "1551", "1551", "1570"])
        #expect(problem.errors[0].detail == "Person.address.street: is too long. Shorten it.")
        let json = String(decoding: try problem.json(), as: UTF8.self)
        #expect(json.hasPrefix("{\"code\":\"validation\",\"detail\":\"3 validation rules failed."))
        #expect(json.contains("\"pointer\":\"/address/street\"") && json.contains("\"type\":\"about:blank\""))
        #expect(try JSONDecoder().decode(ProblemDetails.self, from: problem.json()) == problem)
        #expect(ProblemDetails(problem) == problem && ProblemDetails(issues[0]).status == 422)
    }

    /// Its text may have anything in it.
    @Test func errorsOfHooksAreNotQuoted() throws {
        struct Secret: Error { let email = "ada@example.com" }
        var issue = ValidationIssue(nil, "Person", ["email"], 1550, "\(Secret())")
        issue.underlyingError = Secret()
        issue.row = 7
        let transformed = ValidationIssue(
            nil, "Person", ["email"], 1550, "\(ValidationIssue.transformation) Upper: \(Secret())")
        #expect(
            ProblemDetails(transformed).detail
                == "could not be transformed by its transformer. Give it another value.")
        for problem in [ProblemDetails(issue), ProblemDetails(SaveError.validation([issue]))] {
            #expect(problem.status == 422 && problem.errors.map(\.pointer) == ["/email"])
            #expect(problem.errors.map(\.row) == [7])
            #expect(try !String(decoding: problem.json(), as: UTF8.self).contains("ada@"))
        }
    }

    @Test func placesOfTextsAreParts() throws {
        let error = #expect(throws: PredicateTreeError.self) { try PredicateTree(format: "é == == 1") }
        let problem = ProblemDetails(try #require(error))
        #expect(problem.status == 400 && problem.errors[0].position == 6)
        let place = GraphError(
            .unknownProperty, "m", at: GraphPlace(line: 3).member("employees").element(2).member("x"))
        #expect(
            ProblemDetails(place).errors.map(\.pointer) == ["/employees/2/x"]
                && ProblemDetails(place).errors[0].line == 3)
        let odd = GraphError(.unknownProperty, "m", at: GraphPlace().element(0).member("a.b/c[0]~"))
        #expect(ProblemDetails(odd).errors.map(\.pointer) == ["/0/a.b~1c[0]~0"])
        // A client marks the field that is missing, which is not in its document.
        let absent = GraphError(.missingValue, "m", at: GraphPlace().element(1), property: "name")
        #expect(ProblemDetails(absent).errors.map(\.pointer) == ["/1/name"])
    }
}
