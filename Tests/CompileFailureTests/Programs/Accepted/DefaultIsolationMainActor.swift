// expect: nothing
// flags: -default-isolation MainActor
import Howdah

final class Order: ManagedObject {
    var total: Int {
        get { 0 }
        set {}
    }
    override func willSave() { if total < 0 { total = 0 } }
}

final class Screen {
    let container: PersistentContainer
    var orders: [Order] = []

    init(_ container: PersistentContainer) { self.container = container }

    func load() async throws {
        orders = try container.viewContext.fetch(Order.self)
        let totals = try await container.perform { context in try context.fetch(Order.self).map(\.total) }
        print(totals)
    }
}
