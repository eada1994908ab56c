import Foundation
import Howdah
import HowdahTesting
import Testing

/// The code of the second part of `docs/from-core-data.md`: fetches and predicates.
@Suite struct FromCoreDataQueryTests {
    @Test func fetching() async throws {
        try await FromCoreDataTests.withShop { container, zuse in
            // snippet
            let names = try await container.perform { context in
                var request = FetchRequest<Customer>()
                request.sortDescriptors = [.ascending(\.name)]
                return try context.fetch(request).map(\.name)
            }
            // end
            #expect(names == ["Ada", "Conrad", "Robert", "Émilie"])
            // snippet
            try await container.perform { context in
                let byID = try context.existingObject(with: zuse)
                let byName = try context.fetch(
                    Customer.self, matching: .format("name == %@", "Conrad"), limit: 1
                ).first
                print(byName === byID)  // true: a row is one object in a context
            }
            // end
            // snippet
            try await container.perform { context in
                let open = try context.fetch(
                    Order.self, where: #Predicate { $0.state == "new" }, sortedBy: .descending(\.total),
                    limit: 20, prefetching: \.customer)
                for order in open { print(order.number, order.customer?.name ?? "-") }
            }
            // end
            let lists = try await container.perform { context in
                // snippet
                var request = FetchRequest<Order>()
                request.sortDescriptors = [.ascending(\.customer, \.name), .ascending(\.number)]
                request.fetchBatchSize = 50
                let list = try context.fetch(request)  // ids; touching an object loads it and its neighbours
                // end
                return list.map { "\($0.customer?.name ?? "-") \($0.number)" }
            }
            #expect(lists == ["- 7", "Ada 1", "Ada 2", "Ada 3", "Conrad 4", "Conrad 5", "Robert 6"])
            let sums = try await container.perform { context in
                // snippet
                var request = FetchRequest<Order>()
                request.propertiesToFetch = ["customer.name", .count(), .sum(\.total, as: "sum")]
                request.propertiesToGroupBy = ["customer.name"]
                request.havingPredicate = .format("sum > 10")
                request.sortDescriptors = [.key("sum", ascending: false)]
                let best = try context.fetchDictionaries(request)
                var all = FetchRequest<Order>()
                all.propertiesToFetch = [.sum(\.total, as: "sum")]
                let revenue = try context.fetchDictionaries(all)[0]["sum"] as? Decimal
                // end
                return (
                    best.map { "\($0["customer.name"] ?? "-") \($0["count"] ?? 0) \($0["sum"] ?? 0)" },
                    revenue
                )
            }
            #expect(sums.0 == ["Conrad 2 90", "Ada 3 60"] && sums.1 == 157)
            let numbers = try await container.perform { context in
                // snippet
                let count = try context.count(Order.self, where: #Predicate { $0.total > 20 })
                let states = try context.fetchValues(of: \.state, FetchRequest<Order>())
                // end
                return (count, Set(states))
            }
            #expect(numbers.0 == 3 && numbers.1 == ["new", "paid"])
        }
    }

    @Test func predicates() async throws {
        try await FromCoreDataTests.withShop { container, _ in
            try await container.perform { context in
                func found(_ predicate: PredicateTree) throws -> [String] {
                    try context.fetch(Customer.self, matching: predicate, sortedBy: .ascending(\.name)).map(
                        \.name)
                }
                // snippet
                let query = "rob"
                let exact = PredicateTree.format("name == %@", query)  // or LIKE
                let folded = PredicateTree.format("name ==[cd] %@", "emilie")
                let part = PredicateTree.format("name CONTAINS[cd] %@", query)
                let start = PredicateTree.format("name BEGINSWITH %@", "R")
                let end = PredicateTree.format("name ENDSWITH %@", "t")
                let wildcards = PredicateTree.format("name LIKE[c] %@", "?ob*t")
                let pattern = PredicateTree.format("name MATCHES %@", "..bert.*")
                // end
                try #expect([exact, folded, part].map(found) == [[], ["Émilie"], ["Robert"]])
                for tree in [start, end, wildcards, pattern] { try #expect(found(tree) == ["Robert"]) }
                // snippet
                let both = PredicateTree.and([start, .format("ANY orders.state == %@", "paid")])
                let neither = PredicateTree.not(.or([part, folded]))
                // end
                try #expect(found(both) == ["Robert"] && found(neither) == ["Ada", "Conrad"])
                // snippet
                let busy = PredicateTree.format(
                    "SUBQUERY(orders, $order, $order.state == 'paid' AND $order.total > %@).@count > 1", 5)
                let unpaid = PredicateTree.format("orders.@count > 0 AND NONE orders.state == 'paid'")
                let large = PredicateTree.format("orders.@sum.total >= %@ OR orders.@max.number > 5", 90)
                // end
                try #expect(found(busy) == ["Ada"] && found(unpaid) == ["Conrad"])
                try #expect(found(large) == ["Conrad", "Robert"])
                // snippet
                let least: Decimal = 20
                let valued = try context.fetch(
                    Customer.self,
                    where: #Predicate { customer in
                        customer.name.starts(with: "A") && customer.orders.contains { $0.total > least }
                    })
                // end
                #expect(valued.map(\.name) == ["Ada"])
                // snippet
                let template = try PredicateTree(format: "state == $state AND total > $least")
                let paid = try template.withSubstitutionVariables(["state": "paid", "least": 10])
                let stored = try JSONEncoder().encode(paid)  // a predicate is a value, and can wait in a file
                // end
                let read = try JSONDecoder().decode(PredicateTree.self, from: stored)
                try #expect(context.fetch(Order.self, matching: read).map(\.number).sorted() == [2, 3])
                do {
                    // snippet
                    let wrong = PredicateTree.format("nmae == %@", "Ada")
                    do {
                        _ = try context.fetch(Customer.self, matching: wrong)
                    } catch let error as PredicateTreeError {
                        print(error)  // … Did you mean 'name'?
                    }
                    // end
                }
            }
        }
    }
}
