import Foundation
import HowdahJSON
import HowdahModel
import HowdahRuntime
import HowdahTesting
import TestSupport
import Testing

/// JSON lines of a whole store.
@Suite struct GraphLinesTests {
    @Test func linesAreCanonical() async throws {
        try await withTestStore(try Atlas.model()) { container in
            let shuffled = Atlas.lines.split(separator: "\n").reversed().joined(separator: "\n\n")
            let summary = try await container.importLines(shuffled, pieces: 7)
            #expect(summary.objectCount == 9 && summary.insertedCount == 9)
            let turned = try await container.exportedLines()
            #expect(
                turned.hasPrefix(Atlas.lines.prefix { $0 != "@" }) && turned.split(separator: "\n").count == 9
            )
            try await withTestStore(try Atlas.model()) { other in
                try await other.importLines(Atlas.lines)
                let exported = try await other.exportedLines()
                #expect(Set(exported.split(separator: "\n")) == Set(Atlas.lines.split(separator: "\n")))
            }
        }
    }

    @Test func naturalKeysFindWhatIsThere() async throws {
        try await withTestStore(try Atlas.model()) { container in
            try await container.importLines(Atlas.lines)
            let summary = try await container.importLines(
                """
                {"@entity":"City","area":7,"country":{"@ref":{"code":"DE"}},"name":"Ulm"}
                {"@entity":"City","country":{"@ref":{"code":"FR"}},"name":"Ulm"}
                {"@entity":"Country","code":"FR","name":null}
                """)
            #expect(summary.objectCount == 3 && summary.insertedCount == 1 && summary.updatedCount == 1)
            #expect(summary.skippedCount == 1)
            try await container.perform { context in
                let cities = try context.fetch("City", sortedBy: .key("country.code"), .key("name"))
                #expect(cities.map { $0["name"] as? String } == ["Ulm", "Paris", "Ulm"])
                #expect(cities[0]["area"] as? Decimal == 7)
            }
        }
    }

    @Test func afterAnErrorTheStoreIsAsItWas() async throws {
        try await withTestStore(try Atlas.model()) { container in
            try await container.importLines(Atlas.lines)
            let before = try await container.exportedLines()
            let many = (0..<1_200).map { "{\"@entity\":\"Country\",\"code\":\"C\($0)\"}" }.joined(
                separator: "\n")
            for (line, code, text) in [
                (
                    "{\"@entity\":\"Country\",\"code\":\"X\",}", GraphError.Code.invalidJSON,
                    "line 1201: a key in quotes is missing, at byte "
                ),
                (
                    "{\"@entity\":\"City\",\"name\":\"X\",\"country\":{\"@ref\":{\"code\":\"none\"}}}",
                    .unknownReference, "line 1201: country: City.country: "
                ),
                ("{\"@entity\":\"Country\"}", .missingValue, "line 1201: Country.code: "),
                (
                    "{\"@entity\":\"Adult\",\"@id\":\"a\",\"name\":\"A\",\"friends\":[{\"@ref\":\"b\"}]}",
                    .unknownReference, "line 1201: friends: Adult.friends: "
                ),
            ] {
                await #expect {
                    try await container.importLines(many + "\n" + line)
                } throws: { error in
                    let error = error as? GraphError
                    #expect(error?.code == code && error?.line == 1201, "\(String(describing: error))")
                    #expect(error?.description.hasPrefix(text) == true, "\(String(describing: error))")
                    return true
                }
                let after = try await container.exportedLines()
                #expect(after == before)
            }
        }
    }

    @Test func whatTheSaveRefusesHasItsLine() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Club",
                properties: [
                    .attribute("name", .string, optional: false),
                    .relationship("members", to: "Member", inverse: "clubs", toMany: true, maxCount: 1_000),
                    .relationship("heads", to: "Member", toMany: true, minCount: 1, maxCount: 2),
                ], uniquenessConstraints: [["name"]]),
            EntityDescription(
                "Member", properties: [.relationship("clubs", to: "Club", inverse: "members", toMany: true)]),
        ])
        try await withTestStore(model) { container -> Void in
            await #expect {
                try await container.importLines(
                    "{\"@entity\":\"Member\",\"@id\":\"m\"}\n{\"@entity\":\"Club\",\"name\":\"c\",\"heads\":[]}"
                )
            } throws: { error in
                let error = error as? GraphError
                return error?.code == .refused && error?.line == 2 && error?.propertyName == "heads"
            }
        }
    }

    /// A part of a store: an entity, a predicate, key paths.
    /// Links that waited are saved last, and know their lines too.
    @Test func whatTheSaveOfLinksRefusesHasItsLine() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Club",
                properties: [
                    .attribute("name", .string, optional: false),
                    .relationship("guests", to: "Member", toMany: true, maxCount: 2),
                ], uniquenessConstraints: [["name"]]),
            EntityDescription(
                "Member", properties: [.attribute("name", .string)], uniquenessConstraints: [["name"]]),
        ])
        try await withTestStore(model) { container -> Void in
            let members = (0..<600).map { "{\"@entity\":\"Member\",\"@id\":\"m\($0)\"}" }
            let club =
                "{\"@entity\":\"Club\",\"name\":\"c\",\"guests\":[{\"@ref\":\"m550\"},{\"@ref\":\"m551\"},{\"@ref\":\"m552\"}]}"
            await #expect {
                try await container.importLines(([members[0], club] + members[1...]).joined(separator: "\n"))
            } throws: { error in
                let error = error as? GraphError
                return error?.code == .refused && error?.line == 2 && error?.propertyName == "guests"
            }
        }
    }

    @Test func aByteOrderMarkIsPassedOver() async throws {
        try await withTestStore(try Atlas.model()) { container in
            let summary = try await container.importLines("\u{FEFF}" + Atlas.lines, pieces: 2)
            #expect(summary.objectCount == 9)
            await #expect(throws: GraphError.self) {
                try await container.importLines(
                    "{\"@entity\":\"Country\",\"code\":\"X\"}\n\u{FEFF}" + Atlas.lines)
            }
            try await container.perform { context in
                let found = try context.importGraph(Data("\u{FEFF}[{\"code\":\"DE\"}]".utf8), as: "Country")
                #expect(found.count == 1 && !context.hasChanges)
            }
        }
    }

    @Test func aFetchIsExported() async throws {
        try await withTestStore(try Atlas.model()) { container in
            try await container.importLines(Atlas.lines)
            var export = GraphExport(entityName: "Country")
            export.predicate = .format("size > 1")
            let flat = try await container.exportedLines(export)
            #expect(flat == "{\"@entity\":\"Country\",\"code\":\"DE\",\"name\":\"Germany\",\"size\":3}\n")
            export.predicate = nil
            export.keyPaths = ["cities.area"]
            let nested = try await container.exportedLines(export)
            #expect(
                nested == """
                    {"@entity":"Country","cities":[{"area":null,"country":{"@ref":{"code":"DE"}},"name":"Ulm"}],"code":"DE"}
                    {"@entity":"Country","cities":[{"area":105.4,"country":{"@ref":{"code":"FR"}},"name":"Paris"}],"code":"FR"}

                    """)
            let people = try await container.exportedLines(GraphExport(entityName: "Child"))
            #expect(!people.contains("friends") && people.contains("\"tags\":[{\"@ref\":{\"word\":\"a\"}}]"))
        }
    }

    /// Statements follow from the batches, not from the objects in them.
    @Test func statementsFollowFromBatches() async throws {
        try await withTestStore(try Atlas.model()) { container in
            func lines(_ range: Range<Int>) -> String {
                range.map { number in
                    "{\"@entity\":\"Country\",\"code\":\"C\(number)\"}\n"
                        + "{\"@entity\":\"City\",\"name\":\"N\",\"country\":{\"@ref\":{\"code\":\"C\(number)\"}}}\n"
                }.joined()
            }
            var counts: [Int] = []
            for range in [0..<20, 20..<220] {
                container.statementLog.start()
                try await container.importLines(lines(range))
                counts.append(container.statementLog.count)
            }
            #expect(counts[0] == counts[1] && counts[0] < 10, "\(counts)")
            container.statementLog.start()
            _ = try await container.exportedLines()
            // Ids of each entity, and two batches: 220 countries, 220 cities with their countries.
            #expect(container.statementLog.count < 12, "\(container.statementLog.count)")
        }
    }
}
