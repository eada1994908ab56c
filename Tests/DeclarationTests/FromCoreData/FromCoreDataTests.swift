import Foundation
import Howdah
import HowdahTesting
import Testing

// snippet
@Entity final class Customer: ManagedObject {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: "customer") var orders: ToMany<Order>
    @Relationship(deleteRule: .deny, inverse: "customer") var contracts: ToMany<Contract>
    @Relationship(inverse: "customer") var tickets: ToMany<Ticket>
}

@Entity final class Order: ManagedObject {
    var number: Int
    var state: String = "new"
    var total: Decimal = 0
    @Relationship(inverse: "orders") var customer: Customer?
}

@Entity final class Contract: ManagedObject {
    @Relationship(inverse: "contracts") var customer: Customer?
}

@Entity final class Ticket: ManagedObject {
    var text: String
    @Relationship(inverse: "tickets") var customer: Customer?
}
// end

/// The code of `docs/from-core-data.md`, in its order.
@Suite struct FromCoreDataTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(Customer.self, Order.self, Contract.self, Ticket.self)
    }

    @Test func contextsAndThreads() async throws {
        try await withTemporaryStore(Self.model()) { container in
            // snippet
            let ada = try await container.perform { context in
                let customer = Customer(context: context)
                customer.name = "Ada"
                try context.save()
                return customer.objectID  // returning `customer` does not compile
            }
            // end
            // snippet
            let handle = container.newBackgroundContext()
            try await handle.perform { context in
                let customer = try context.existingObject(with: ada)
                customer.name = "Ada Lovelace"
            }
            let isChanged = try await handle.perform { context in context.hasChanges }
            try await handle.perform { context in try context.save() }
            // end
            #expect(isChanged)
            // snippet
            let name = try handle.performAndWait { context in
                try context.existingObject(with: ada).name
            }
            // end
            #expect(name == "Ada Lovelace")
            // snippet
            try await handle.perform { context in
                let customer = try context.existingObject(with: ada)
                try Self.rename(ada, container)  // … somebody else saves another name …
                let old = customer.name
                context.refresh(customer)
                print("was \(old), is \(customer.name)")
            }
            // end
            try #expect(handle.performAndWait { try $0.existingObject(with: ada).name } == "A. Lovelace")
        }
    }

    @Test func parentAndChild() async throws {
        try await withTemporaryStore(Self.model()) { container in
            let ada = try await Self.customer(container)
            // snippet
            let editing = container.newBackgroundContext()
            let draft = editing.newChildContext()
            try await draft.perform { context in
                let customer = try context.existingObject(with: ada)
                customer.name = "Countess of Lovelace"
                let order = Order(context: context)
                (order.number, order.customer) = (2, customer)
                try context.save()  // to `editing`; nobody else sees anything yet
            }
            try await editing.perform { context in
                try context.save()  // to the database
            }
            // end
            // snippet
            let (left, right) = (editing.newChildContext(), editing.newChildContext())
            try await right.perform { context in
                context.automaticallyMergesChangesFromParent = true
                try context.existingObject(with: ada).name += "!"
            }
            try await left.perform { context in
                let customer = try context.existingObject(with: ada)
                for order in customer.orders { order.state = "paid" }
                try context.save()
            }
            let states = try await right.perform { context in
                let customer = try context.existingObject(with: ada)
                return customer.orders.map { "\(customer.name) \($0.state)" }
            }
            // end
            #expect(states == Array(repeating: "Countess of Lovelace! paid", count: 2))
            let stored = try await container.perform { context in
                let customer = try context.existingObject(with: ada)
                return customer.orders.map { "\(customer.name) \($0.state)" }
            }
            #expect(stored == Array(repeating: "Countess of Lovelace new", count: 2))
        }
    }

    @Test func deleteRules() async throws {
        try await withTemporaryStore(Self.model()) { container in
            let ada = try await Self.customer(container)
            // snippet
            try await container.perform { context in
                let customer = try context.existingObject(with: ada)
                context.delete(customer)
                do {
                    try context.save()
                } catch let error as SaveError where error.code == .referentialIntegrity {
                    for contract in customer.contracts { context.delete(contract) }
                    try context.save()
                }
            }
            // end
            try await container.perform { context in
                #expect(try context.count(Customer.self) == 0)
                #expect(try context.count(Contract.self) == 0)
                #expect(try context.count(Order.self) == 0)
                let ticket = try #require(try context.fetch(Ticket.self).first)
                #expect(ticket.customer == nil)
            }
        }
    }

    @Test func previews() async throws {
        try await withTemporaryStore(Self.model()) { container in
            let ada = try await Self.customer(container)
            // snippet
            let preview = try await container.perform { context in
                try context.previewDelete(context.existingObject(with: ada)).description
            }
            // end
            #expect(preview.contains("delete Order: 1") && preview.contains("refuse Customer.contracts"))
        }
    }

    @Test func transactions() async throws {
        try await withTemporaryStore(Self.model()) { container in
            let ada = try await container.perform { context in
                let customer = Customer(context: context)
                customer.name = "Ada"
                try context.save()
                return customer.objectID
            }
            // snippet
            try await container.perform { context in
                let customer = try context.existingObject(with: ada)
                customer.name = "Nobody"
                Order(context: context).customer = customer
                context.rollback()  // the name is "Ada" again, the order was never there
            }
            // end
            // snippet
            try await container.perform(isolation: .repeatableRead) { context in
                let customer = try context.existingObject(with: ada)
                let order = Order(context: context)
                (order.number, order.customer) = (1, customer)
                try context.save()  // a savepoint
                let count = try context.count(Order.self)  // sees the order; nobody else does
                customer.name = "Ada, \(count) order"
                try context.save()
            }
            // end
            let name = try await container.perform { try $0.existingObject(with: ada).name }
            #expect(name == "Ada, 1 order")
        }
    }

    @Test func twoUsers() async throws {
        try await withTemporaryStore(Self.model()) { container in
            let order = try await Self.orders(1, container)[0]
            // snippet
            try await container.perform { context in
                let order = try context.existingObject(with: order)
                order.state = "paid"
                try Self.add(10, to: order.objectID, container)  // … somebody else saves another total …
                do {
                    try context.save()
                } catch let error as SaveError where error.code == .conflict {
                    for conflict in error.conflicts { print(conflict.objectID, conflict.properties) }
                    try context.refresh(order, mergeChanges: true)
                    try context.save()
                }
            }
            // end
            // snippet
            try await container.perform { context in
                context.mergePolicy = .mergeByPropertyObjectTrump
                let order = try context.existingObject(with: order)
                order.state = "sent"
                try Self.add(10, to: order.objectID, container)  // … somebody else saves another total …
                try context.save()
            }
            // end
            // snippet
            try await container.perform(retrying: .conflicts(upTo: 5)) { context in
                let order = try context.existingObject(with: order)
                order.total += 10
                try context.save()
            }
            // end
            try await container.perform { context in
                let order = try context.existingObject(with: order)
                #expect(order.total == 30 && order.state == "sent")
            }
        }
    }

    @Test func lockingRows() async throws {
        try await withTemporaryStore(Self.model()) { container in
            let orders = try await Self.orders(4, container)
            let others = container.newBackgroundContext()
            try await others.perform(isolation: .readCommitted) { [order = orders[0]] context in
                var request = FetchRequest<Order>()
                request.predicate = .format("SELF == %@", order)
                request.rowLock = .update
                try #expect(context.fetch(request).count == 1)
                try Self.pack(container)
            }
            try await container.perform { context in
                let packed = try context.fetch(Order.self, where: #Predicate { $0.state == "packed" })
                #expect(packed.map(\.number).sorted() == [2, 3])
            }
        }
    }

    private static func pack(_ container: PersistentContainer) throws {
        // snippet
        try container.newBackgroundContext().performAndWait(isolation: .readCommitted) { context in
            var request = FetchRequest<Order>()
            request.predicate = .format("state == %@", "new")
            request.sortDescriptors = [.key("number")]
            request.fetchLimit = 2
            request.rowLock = .update.skippingLocked
            for order in try context.fetch(request) { order.state = "packed" }
            try context.save()
        }
        // end
    }

    /// The page has the code of these files and no other.
    @Test func thePageShowsThisCode() throws {
        let here = URL(fileURLWithPath: #filePath)
        let root = (0..<4).reduce(here) { url, _ in url.deletingLastPathComponent() }
        let page = try String(contentsOf: root.appending(path: "docs/from-core-data.md"), encoding: .utf8)
        let shown = page.components(separatedBy: "```swift\n").dropFirst().map {
            Self.compact($0.components(separatedBy: "```").first ?? "")
        }
        let folder = here.deletingLastPathComponent()
        let parts = [
            "", "Query", "Batch", "Inference", "Schema", "Migration", "Reference", "Mapping", "Policy",
        ]
        let run = try parts.flatMap { part in
            let source = try String(
                contentsOf: folder.appending(path: "FromCoreData\(part)Tests.swift"), encoding: .utf8)
            return source.components(separatedBy: "// snippet\n").dropFirst().map {
                Self.compact($0.components(separatedBy: "// end").first ?? "")
            }
        }
        #expect(shown.count > 30)
        #expect(shown == run)
    }

    /// The words of some code; what stands for somebody else is its comment.
    private static func compact(_ code: String) -> [String] {
        code.split(separator: "\n").map { line in
            let trimmed = line.drop { $0 == " " }
            guard trimmed.hasPrefix("try Self."), let comment = trimmed.firstRange(of: "// …") else {
                return String(trimmed)
            }
            return String(trimmed[comment.lowerBound...])
        }.joined(separator: " ").split(separator: " ").map(String.init)
    }
}
