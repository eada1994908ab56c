import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
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
        try await withTestStore(Self.model()) { container in
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

    private static func hens() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Hen",
                properties: [
                    .attribute("number", .integer64, optional: false),
                    .relationship("egg", to: "Egg", inverse: "layer", optional: false),
                ], uniquenessConstraints: [["number"]]),
            EntityDescription(
                "Egg",
                properties: [
                    .attribute("number", .integer64, optional: false),
                    .relationship("layer", to: "Hen", inverse: "egg", optional: false),
                ], uniquenessConstraints: [["number"]]),
        ])
    }

    private static func hen(_ number: Int) -> String { "{\"@entity\":\"Hen\",\"number\":\(number)}" }

    private static func egg(_ number: Int, of hen: Int) -> String {
        "{\"@entity\":\"Egg\",\"number\":\(number),\"layer\":{\"@ref\":{\"number\":\(hen)}}}"
    }

    private static func layers(_ container: PersistentContainer) async throws -> [Int64?] {
        try await container.perform { context in
            try context.fetch("Egg", sortedBy: .key("number")).map {
                $0.value(forKeyPath: "layer.number") as? Int64
            }
        }
    }

    /// Lines that take away what lines behind them give are the same at every distance.
    @Test func linesMayTakeWhatLaterOnesGive() async throws {
        try await withTestStore(Self.hens()) { container in
            // Eggs before their hens, which name them.
            let eggs = (1...700).map { "{\"@entity\":\"Egg\",\"number\":\($0)}" }
            let hens = (1...700).map {
                "{\"@entity\":\"Hen\",\"number\":\($0),\"egg\":{\"@ref\":{\"number\":\($0)}}}"
            }
            let error = await #expect(throws: GraphError.self) {
                try await container.importLines((eggs + hens.dropLast()).joined(separator: "\n"))
            }
            #expect(error?.code == .missingValue && error?.line == 700, "\(error as Any)")
            let summary = try await container.importLines((eggs + hens).joined(separator: "\n"))
            #expect(summary.insertedCount == 1_400 && summary.objectCount == 1_400)
            #expect(try await Self.layers(container) == (1...700).map { $0 })

            // Two eggs are exchanged, 600 lines apart, and then all of them.
            let exchange =
                [Self.egg(1, of: 700)] + (2...699).map { Self.egg($0, of: $0) } + [Self.egg(700, of: 1)]
            try await container.importLines(exchange.joined(separator: "\n"))
            #expect(try await Self.layers(container) == [700] + (2...699) + [1])
            let turned = (1...700).map { Self.egg($0, of: 701 - $0) }
            try await container.importLines(turned.joined(separator: "\n"))
            #expect(try await Self.layers(container) == (1...700).reversed().map { $0 })
            let robbed = await #expect(throws: GraphError.self) {
                try await container.importLines(Self.egg(1, of: 5))
            }
            #expect(robbed?.code == .refused && robbed?.entityName == "Egg", "\(robbed as Any)")
        }
    }

    /// More lines than one save has, so that the destinations come with a later one.
    @Test func requiredOnesMayComeManyLinesLater() async throws {
        try await withTestStore(Self.hens()) { container in
            let hens = (1...700).map(Self.hen)
            let eggs = (1...700).map { Self.egg($0, of: $0) }
            let error = await #expect(throws: GraphError.self) {
                try await container.importLines(
                    (hens + eggs.filter { $0 != eggs[649] }).joined(separator: "\n"))
            }
            #expect(
                error?.description.hasPrefix(
                    "line 650: Hen.egg: is a required relationship without a destination")
                    == true, "\(error as Any)")
            #expect(try await container.perform { try $0.fetch("Hen").count } == 0)

            try await container.importLines((hens + eggs).joined(separator: "\n"))
            // Hen 1 gives its egg to a new one. Another egg of its own comes 600 lines later.
            let given =
                [Self.hen(701), Self.egg(1, of: 701)]
                + (702...1_000).flatMap { [Self.hen($0), Self.egg($0, of: $0)] }
            let left = await #expect(throws: GraphError.self) {
                try await container.importLines(given.joined(separator: "\n"))
            }
            #expect(left?.code == .refused && left?.propertyName == "egg", "\(left as Any)")
            try await container.importLines((given + [Self.egg(2_000, of: 1)]).joined(separator: "\n"))
            #expect(try await Self.layers(container) == [701] + (2...700) + (702...1_000) + [1])
        }
    }
}
