import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// What `validateValue` says of values that a property might get; and bounds that NaN is not within.
@Suite struct CandidateValueTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Thing",
                properties: [
                    .attribute("low", .double, minimum: 0), .attribute("high", .double, maximum: 9),
                    .attribute("narrow", .float, minimum: 0, maximum: 9),
                    .attribute("exact", .decimal, minimum: 0), .attribute("free", .double),
                    .attribute("count", .integer64, derivation: "parts.@count"),
                    .relationship("owner", to: "Thing", inverse: "parts", optional: false),
                    .relationship("parts", to: "Thing", inverse: "owner", toMany: true),
                    .relationship("other", to: "Other"),
                ]),
            EntityDescription("Other", properties: [.attribute("name", .string)]),
        ])
    }

    private static func issue(_ body: () throws -> Void) -> ValidationIssue? {
        do {
            try body()
            return nil
        } catch {
            return error as? ValidationIssue
        }
    }

    @Test func notANumberIsNotWithinBounds() async throws {
        try await withStore(Self.model()) { container, _ in
            try await container.perform { context in
                let thing = context.insert("Thing")
                thing["owner"] = thing
                let wrong: [(String, Any)] = [
                    ("low", Double.nan), ("high", Double.nan), ("narrow", Float.nan), ("exact", Decimal.nan),
                ]
                for (name, value) in wrong {
                    thing[name] = value
                    let error = saveError { try context.save() }
                    #expect(
                        error?.issues.map(\.propertyName) == [name] && error?.databaseError == nil, "\(name)")
                    #expect(Self.issue { try thing.validateValue(value, forKey: name) } != nil)
                    thing[name] = nil
                }
                thing["free"] = Double.nan
                try context.save()
            }
        }
    }

    @Test func namesKindsAndDestinationsAreChecked() async throws {
        try await withStore(Self.model()) { container, _ in
            try await container.perform { context in
                let (thing, other) = (context.insert("Thing"), context.insert("Other"))
                let wrong: [(String, Any?, String)] = [
                    ("nothing", 1, "is not an attribute or a relationship"),
                    ("", nil, "is not an attribute or a relationship"),
                    ("owner", 3, "cannot hold an Int"), ("owner", "x", "cannot hold a String"),
                    ("owner", nil, "required"), ("owner", other, "cannot refer to an Other"),
                    ("other", thing, "cannot refer to a Thing"), ("parts", thing, "array"),
                    ("parts", [other], "an Other"), ("count", 1, "computed by the store"),
                    ("low", "x", "cannot hold a String"),
                ]
                for (name, value, part) in wrong {
                    let issue = Self.issue { try thing.validateValue(value, forKey: name) }
                    #expect(issue?.message.contains(part) == true, "\(name): \(issue?.message ?? "nothing")")
                    #expect(issue?.propertyName == name && issue?.entityName == "Thing")
                }
                try thing.validateValue(thing, forKey: "owner")
                try thing.validateValue([thing], forKey: "parts")
                try thing.validateValue(nil, forKey: "other")
                try thing.validateValue(other, forKey: "other")
            }
        }
    }

    @Test func literalsOfFormatsKeepTheirDigits() async throws {
        try await withStore(Self.model()) { container, _ in
            try await container.perform { context in
                let thing = context.insert("Thing")
                thing["owner"] = thing
                thing["exact"] = Decimal(string: "12345678901234567890.123456789")
                try context.save()
                for format in [
                    "exact == 12345678901234567890.123456789", "exact > 12345678901234567890.123456788",
                    "exact BETWEEN {12345678901234567890.1234567889, 12345678901234567890.1234567891}",
                ] {
                    #expect(try context.fetch("Thing", matching: .format(format)).count == 1, "\(format)")
                    #expect(try PredicateTree(format: format).evaluate(with: thing), "\(format)")
                }
            }
        }
    }
}
