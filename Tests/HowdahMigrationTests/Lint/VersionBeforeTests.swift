import HowdahMigration
import HowdahModel
import TestSupport
import Testing

/// What programs of the version before are told that they will be refused, without a server.
@Suite struct VersionBeforeTests {
    private static func messages(
        _ old: [PropertyDescription], _ new: [PropertyDescription], unique: [[String]] = []
    ) throws -> [String] {
        VersionBefore(
            of: try ManagedObjectModel(entities: [entity("Person", old)]),
            with: try ManagedObjectModel(entities: [entity("Person", new, unique: unique)])
        ).findings.map(\.message)
    }

    private static let name = PropertyDescription.attribute("name", .string)
    private static let again = "a restarted program of the previous version cannot open the store"

    @Test func whatIsAddedAndOptionalIsFine() throws {
        #expect(try Self.messages([Self.name], [Self.name, .attribute("age", .integer32)]) == [])
    }

    /// A column that keeps its name is no reason for a step to be found fault with.
    @Test func aPropertyWithAnotherNameRefusesWhoStartsAgain() throws {
        let renamed = PropertyDescription.attribute(
            "title", .string, renamingIdentifier: "name", userInfo: [MappingKey.column: "name"])
        let found = try Self.messages([Self.name], [renamed])
        #expect(
            found.count == 1 && found[0].hasPrefix("Person.name is missing in the store: ")
                && found[0].contains(Self.again))
    }

    /// A pipeline accepts findings by name, because messages are not a contract.
    @Test func eachFindingNamesItsEntityOrProperty() throws {
        let model = { try ManagedObjectModel(entities: [entity("Person", $0)]) }
        let required = PropertyDescription.attribute("kind", .string, optional: false)
        let findings = try VersionBefore(of: model([Self.name]), with: model([required])).findings
        #expect(findings.map(\.name) == ["Person.kind", "Person.name", "Person.kind"])
    }

    @Test func aNewCaseFailsFetchesAlone() throws {
        let tier = { (values: [Value]) in
            PropertyDescription.attribute("tier", .string, allowedValues: values)
        }
        let found = try Self.messages([tier(["a"])], [tier(["a", "b"])])
        #expect(found.count == 1 && found[0].contains("fetches by programs of the previous version fail"))
        let fewer = try Self.messages([tier(["a", "b"])], [tier(["a"])])
        #expect(fewer.count == 2 && fewer[0].contains("stricter rules") && fewer[1].contains(Self.again))
    }

    @Test func runningProgramsBreakNewRules() throws {
        for (old, new, words) in [
            (
                Self.name, .attribute("name", .string, optional: false),
                "saves of nil by programs of the previous version fail"
            ),
            (Self.name, .attribute("name", .string, maximumLength: 9), "stricter rules"),
            (.attribute("age", .integer32), .attribute("age", .integer32, minimum: 0), "stricter rules"),
        ] as [(PropertyDescription, PropertyDescription, String)] {
            let found = try Self.messages([old], [new])
            #expect(found.count == 2 && found[0].contains(words) && found[1].contains(Self.again), "\(found)")
        }
        let required = PropertyDescription.attribute("kind", .string, optional: false)
        #expect(
            try Self.messages([Self.name], [Self.name, required])[0].contains(
                "inserts by programs of the previous version fail"))
        #expect(
            try Self.messages([Self.name], [Self.name], unique: [["name"]])[0].contains(
                "becomes unique by name"))
    }

    @Test func widerRulesAreFine() throws {
        let pairs: [(PropertyDescription, PropertyDescription)] = [
            (.attribute("name", .string, maximumLength: 9), .attribute("name", .string, maximumLength: 20)),
            (.attribute("name", .string, minimumLength: 9), .attribute("name", .string)),
            (.attribute("age", .integer32, minimum: 0), .attribute("age", .integer32, minimum: -1)),
            (.attribute("age", .integer32, maximum: 9), .attribute("age", .integer32)),
        ]
        for (old, new) in pairs {
            #expect(try Self.messages([old], [new]) == [])
            #expect(try Self.messages([new], [old]).count == 2)
        }
    }
}
