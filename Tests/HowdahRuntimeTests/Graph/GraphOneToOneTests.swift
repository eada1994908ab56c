import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import Testing

/// Who an object is does not follow from a one-to-one relationship, which changes hands.
@Suite struct GraphOneToOneTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Person",
                properties: [
                    .attribute("email", .string, optional: false),
                    .relationship("passport", to: "Passport", inverse: "holder"),
                ], uniquenessConstraints: [["email"]]),
            EntityDescription(
                "Passport",
                properties: [
                    .attribute("number", .string, optional: false),
                    .relationship("holder", to: "Person", inverse: "passport", optional: false),
                    .relationship("stamps", to: "Stamp", inverse: "passport", toMany: true),
                ], uniquenessConstraints: [["number"]]),
            EntityDescription(
                "Stamp",
                properties: [
                    .attribute("place", .string, optional: false),
                    .relationship("passport", to: "Passport", inverse: "stamps"),
                ], uniquenessConstraints: [["place"]]),
        ])
    }

    @Test func objectsAreFoundByTheirOwnKeyAndChangeHands() async throws {
        try await withTemporaryStore(Self.model()) { container in
            try await container.perform { context in
                try context.importGraph(
                    Data(
                        """
                        [{"number":"1","holder":{"email":"a"},"stamps":[{"place":"Ulm"}]},
                         {"number":"2","holder":{"email":"b"}}]
                        """.utf8), as: "Passport")
                try context.save()
                try context.importGraph(
                    Data(
                        """
                        [{"number":"1","holder":{"@ref":{"email":"b"}}},{"number":"2","holder":{"@ref":{"email":"a"}}}]
                        """.utf8), as: "Passport")
                try context.save()
            }
            try await container.perform { context in
                let passports = try context.fetch("Passport", sortedBy: .key("number"))
                let holders = passports.map { $0.value(forKeyPath: "holder.email") as? String }
                #expect(holders == ["b", "a"])
                #expect(passports.map { $0.members(forKey: "stamps").count } == [1, 0])
                #expect(try context.object("Passport", naturalKey: "2") === passports[1])
            }
        }
    }
}
