import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Decimal attributes take floating-point numbers by name, as the shortest decimal that reads as the number.
@Suite struct DecimalValueTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription("Price", properties: [.attribute("amount", .decimal, optional: false)])
        ])
    }

    private static let given: [(value: any Sendable, decimal: String)] = [
        (0.1, "0.1"), (2.5, "2.5"), (1e20, "100000000000000000000"), (-0.000001, "-0.000001"),
        (Float(0.1), "0.1"),
        (Float(0.25), "0.25"), (7, "7"), (Decimal(sign: .plus, exponent: -2, significand: 105), "1.05"),
        (123456789.123, "123456789.123"),
    ]

    @Test func aDoubleIsTheDecimalThatItsWriterWrote() async throws {
        try await withTestStore(Self.model()) { container in
            let wanted = Self.given.map { Decimal(string: $0.decimal, locale: nil) }
            let rows: [[String: (any Sendable)?]] = Self.given.map { ["amount": $0.value] }
            try await container.insert(into: ManagedObject.self, entityName: "Price", from: rows)
            try await container.perform { context in
                let price = context.insert("Price")
                let kept = Self.given.map { given in
                    price.setValue(given.value, forKey: "amount")
                    return price["amount"] as? Decimal
                }
                #expect(kept == wanted)
                context.delete(price)
                var request = FetchRequest<ManagedObject>(entityName: "Price")
                let stored = try context.fetch(request).compactMap { $0["amount"] as? Decimal }
                #expect(stored.sorted() == wanted.compactMap(\.self).sorted())
                request.predicate = try PredicateTree(format: "amount == %@", arguments: [0.1])
                #expect(try context.count(for: request) == 2)
            }
        }
    }

    /// No decimal stands for these.
    @Test(arguments: [Double.infinity, -.infinity, 1e200]) func numbersWithoutADecimalAreRefused(
        _ number: Double
    ) async throws {
        try await withTestStore(Self.model()) { container in
            await #expect(throws: SaveError.self) {
                try await container.insert(
                    into: ManagedObject.self, entityName: "Price",
                    from: [["amount": number]] as [[String: (any Sendable)?]])
            }
            await #expect(throws: FetchError.self) {
                try await container.perform { context in
                    context.insert("Price").setValue(number, forKey: "amount")
                    try context.save()
                }
            }
        }
    }
}
