import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// A sum or count that is too large names itself, and not its neighbours.
@Suite struct OverflowTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Group",
                properties: [
                    .attribute("total", .integer16, derivation: "members.@sum.size"),
                    .attribute("wide", .integer32, derivation: "members.@sum.size"),
                    .attribute("exact", .decimal, derivation: "members.@sum.price"),
                    .attribute("n", .integer32, derivation: "members.@count"),
                    .relationship("members", to: "Member", inverse: "group", toMany: true),
                ]),
            EntityDescription(
                "Member",
                properties: [
                    .attribute("size", .integer32), .attribute("price", .decimal),
                    .relationship("group", to: "Group", inverse: "members"),
                ]),
        ])
    }

    @Test(arguments: [(40_000, ["total"]), (Int(Int32.max), ["wide"])])
    func onlyWhatOverflowsIsNamed(size: Int, properties: [String]) async throws {
        try await withStore(Self.model()) { container, _ in
            try await container.perform { context in
                let group = context.insert("Group")
                try context.save()
                for _ in 0..<2 {
                    let member = context.insert("Member")
                    (member["size"], member["price"], member["group"]) = (size, Decimal(1), group)
                }
                let error = saveError { try context.save() }
                #expect(error?.code == .validation && error?.issues.first?.objectID == group.objectID)
                // Which of two the server finds first is its own affair; it names the type.
                let named = Set(error?.issues.compactMap(\.propertyName) ?? [])
                #expect(named.count == 1 && named.isSubset(of: ["total"] + properties), "\(named)")
            }
        }
    }
}
