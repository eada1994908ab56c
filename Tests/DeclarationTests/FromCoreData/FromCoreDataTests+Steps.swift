import Foundation
import Howdah
import HowdahTesting
import Testing

extension FromCoreDataTests {
    /// A customer with an order, a contract and a ticket.
    nonisolated(nonsending)
        static func customer(_ container: PersistentContainer) async throws -> ObjectID<Customer>
    {
        try await container.perform { context in
            let customer = Customer(context: context)
            customer.name = "Ada"
            let order = Order(context: context)
            (order.number, order.customer) = (1, customer)
            Contract(context: context).customer = customer
            let ticket = Ticket(context: context)
            (ticket.text, ticket.customer) = ("?", customer)
            try context.save()
            return customer.objectID
        }
    }

    nonisolated(nonsending)
        static func orders(
            _ count: Int, _ container: PersistentContainer
        ) async throws -> [ObjectID<Order>]
    {
        try await container.perform { context in
            let orders = (1...count).map { number in
                let order = Order(context: context)
                order.number = number
                return order
            }
            try context.save()
            return orders.map(\.objectID)
        }
    }

    /// What somebody else does.
    static func rename(_ customer: ObjectID<Customer>, _ container: PersistentContainer) throws {
        try container.newBackgroundContext().performAndWait { context in
            try context.existingObject(with: customer).name = "A. Lovelace"
            try context.save()
        }
    }

    /// What somebody else does.
    static func add(_ amount: Decimal, to order: ObjectID<Order>, _ container: PersistentContainer) throws {
        try container.newBackgroundContext().performAndWait { context in
            try context.existingObject(with: order).total += amount
            try context.save()
        }
    }

    /// Four customers, the orders of three, and one that is nobody's; and the id of one of them.
    nonisolated(nonsending)
        static func withShop(
            _ body: (PersistentContainer, ObjectID<Customer>) async throws -> Void
        ) async throws
    {
        let model = try ManagedObjectModel(
            Customer.self, Order.self, Contract.self, Ticket.self, Branch.self)
        try await withTemporaryStore(model) { container in
            let id = try await container.perform { context in
                let customers = ["Ada", "Conrad", "Robert", "Émilie"].map { name in
                    let customer = Customer(context: context)
                    customer.name = name
                    return customer
                }
                for (number, owner, total, state) in [
                    (1, 0, 10, "new"), (2, 0, 20, "paid"), (3, 0, 30, "paid"), (4, 1, 40, "new"),
                    (5, 1, 50, "new"),
                    (6, 2, 5, "paid"), (7, nil, 2, "new"),
                ] as [(Int, Int?, Int, String)] {
                    let order = Order(context: context)
                    (order.number, order.total, order.state) = (number, Decimal(total), state)
                    order.customer = owner.map { customers[$0] }
                }
                try context.save()
                return customers[1].objectID
            }
            try await body(container, id)
        }
    }
}
