import Foundation
import Howdah

/// Declared in a module whose declarations belong to the main actor unless they say otherwise.
@Composite nonisolated struct Price {
    var amount: Decimal
    var currency: String = "EUR"
}

@Entity nonisolated final class Product: ManagedObject {
    @Attribute(.unique) var name: String
    var price: Price?
    var stock: Int = 1
    var added: Date = Date()
    private(set) var code: String?
    @Relationship(inverse: "products") var shelf: Shelf?
}

@Entity nonisolated class Shelf: ManagedObject {
    var number: Int
    @Relationship(deleteRule: .cascade, inverse: "shelf") var products: ToMany<Product>
}

@Entity nonisolated final class ColdShelf: Shelf {
    var degrees: Double = -18
}

nonisolated enum Shop {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(Product.self, Shelf.self, ColdShelf.self)
    }
}
