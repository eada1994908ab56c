import Foundation
import Howdah

/// Declared in a module whose declarations belong to the main actor; not even these have to say otherwise.
@Composite struct Price {
    var amount: Decimal
    var currency: String = "EUR"
}

enum Season: String, AttributeEnum { case summer, winter }

struct Origin: AttributeJSON {
    var country = "IS"
}

@Entity final class Product: ManagedObject {
    @Attribute(.unique) var name: String
    var price: Price?
    var stock: Int = 1
    var season: Season = .winter
    var tags: [String] = ["cold"]
    var origin: Origin = Origin()
    var added: Date = Date()
    private(set) var code: String?
    @Relationship(inverse: "products") var shelf: Shelf?
}

@Entity class Shelf: ManagedObject {
    var number: Int
    @Relationship(deleteRule: .cascade, inverse: "shelf") var products: ToMany<Product>
}

@Entity final class ColdShelf: Shelf {
    var degrees: Double = -18
}

enum Shop {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(Product.self, Shelf.self, ColdShelf.self)
    }
}
