import Foundation
import Howdah
import HowdahTesting
import Testing

/// This target's default isolation is the main actor; what `@Entity` emits is not isolated all the same.
@Suite struct ShopTests {
    @Test func classesOfAModuleOfTheMainActorWork() async throws {
        try await withTemporaryStore(Shop.model()) { container in
            try await container.perform { context in
                let shelf = ColdShelf(context: context)
                shelf.number = 4
                let product = Product(context: context)
                product.name = "Ice"
                product.price = Price(amount: 2)
                product.shelf = shelf
                try context.save()
            }
            let found = try await container.perform { context in
                try context.fetch(Product.self, sortedBy: .ascending(\.code), .ascending(\.name)).map {
                    "\($0.name) \($0.price?.currency ?? "") \($0.shelf?.number ?? 0) \(($0.shelf as? ColdShelf)?.degrees ?? 0)"
                }
            }
            #expect(found == ["Ice EUR 4 -18.0"])
            let matching = try await container.perform { context in
                let product = try context.fetch(
                    Product.self,
                    matching: .format(
                        "season == 'winter' AND tags CONTAINS 'cold' AND origin.country == 'IS'")
                ).first
                return [product?.season.rawValue, product?.tags.first, product?.origin.country]
            }
            #expect(matching == ["winter", "cold", "IS"])
        }
    }
}
