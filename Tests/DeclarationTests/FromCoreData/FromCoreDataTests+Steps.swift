import Foundation
import Howdah
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
}
