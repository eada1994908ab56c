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

print(model.entities.map(\.name))
