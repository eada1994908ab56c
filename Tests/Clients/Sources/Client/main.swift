import Howdah

#if PLAIN
let model = try ManagedObjectModel(entities: [
    EntityDescription("Item", properties: [.attribute("name", .string, optional: false)])
])
#else
@Entity final class Item: ManagedObject {
    var name: String
}

let model = try ManagedObjectModel(Item.self)
#endif

// Generated from Stock.howdahmodel.json.
let stock = try ManagedObjectModel.stock

// Generated from the current version of Goods.xcdatamodeld.
let goods = try ManagedObjectModel.goods
let weight: KeyPath<Crate, Int32> = \.weight

print(
    model.entities.map(\.name) + stock.entities.compactMap(\.className) + [Shelf.heading]
        + goods.entities.map { "\($0.name) \($0.properties.count)" })
