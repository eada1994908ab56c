// expect: nothing
// flags: -default-isolation MainActor
import Foundation
import Howdah

final class Order: ManagedObject {
    var total: Int {
        get { 0 }
        set {}
    }
    var person: Person? { nil }

    override class var _keyPaths: [_PropertyKeyPath] {
        [_PropertyKeyPath(\Order.total, "total"), _PropertyKeyPath(\Order.person, "person")]
    }
}

func program(_ container: PersistentContainer, _ limit: Int) async throws {
    let orders = try container.viewContext.fetch(
        Order.self, where: #Predicate { $0.total > limit && $0.person?.name == "x" },
        sortedBy: .ascending(\.total), .descending(\.person, \.name), prefetching: \.person)
    let count = try await container.perform { context in
        try context.count(Order.self, where: #Predicate { $0.total > limit })
    }
    print(orders.count, count)
}
