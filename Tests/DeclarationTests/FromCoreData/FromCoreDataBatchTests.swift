import Foundation
import Howdah
import Testing

// snippet
@Composite struct Place {
    var city: String
    var latitude: Double
    var longitude: Double
}

@Entity final class Branch: ManagedObject {
    var name: String
    var rating: Double = 0
    var place: Place?
}
// end

/// The code of the third part of `docs/from-core-data.md`: composites and batches.
@Suite struct FromCoreDataBatchTests {
    @Test func composites() async throws {
        try await FromCoreDataTests.withShop { container, _ in
            try await container.perform { context in
                // snippet
                let branch = Branch(context: context)
                branch.name = "Noodles"
                branch.place = Place(city: "Beijing", latitude: 39.9, longitude: 116.4)
                branch.place?.city = "北京"
                try context.save()
                // end
                let far = Branch(context: context)
                (far.name, far.rating) = ("Far", 4)
                far.place = Place(city: "Oslo", latitude: 59.9, longitude: 10.7)
                Branch(context: context).name = "Nowhere"
                try context.save()
                // snippet
                let between = try context.fetch(
                    Branch.self, matching: .format("place.latitude > %f AND place.latitude < %f", 31.3, 40.0))
                let here = try context.fetch(Branch.self, where: #Predicate { $0.place?.city == "北京" })
                let placed = try context.count(Branch.self, matching: .format("place != nil"))
                let north = try context.fetch(Branch.self, sortedBy: .key("place.latitude", ascending: false))
                // end
                #expect(between == [branch] && here == [branch] && placed == 2)
                #expect(north.map(\.name).filter { $0 != "Nowhere" } == ["Far", "Noodles"])
            }
        }
    }

    @Test func batches() async throws {
        try await FromCoreDataTests.withShop { container, zuse in
            let lines = (100..<120).map { ($0, Decimal($0)) }
            // snippet
            try await container.perform { context in
                var rest = lines.makeIterator()
                let request = BatchInsertRequest(
                    Order.self,
                    managedObjectHandler: { order in
                        guard let (number, total) = rest.next() else { return true }
                        (order.number, order.total) = (number, total)
                        return false
                    })
                print(try context.execute(request).count, "orders")
            }
            try await container.insert(
                into: Order.self, from: [["number": 200, "total": 5, "customer": zuse], ["number": 201]])
            // end
            // snippet
            try await container.perform { context in
                let update = BatchUpdateRequest(
                    Order.self, matching: .format("number >= 200"),
                    set: ["state": "paid", "total": .expression("total * %@ + 1", Decimal(2))])
                try context.execute(update)
            }
            // end
            // snippet
            try await container.perform { context in
                let known = try context.fetch(Order.self)
                let result = try context.execute(
                    BatchDeleteRequest(Order.self, matching: .format("state == 'paid'"), result: .objectIDs))
                try context.mergeChanges(from: result.notice)  // the objects of the rows that are gone
                print(known.filter(\.isDeleted).count)
            }
            // end
            let left = try await container.perform { context in
                let orders = try context.fetch(Order.self, sortedBy: .ascending(\.number))
                #expect(orders.allSatisfy { $0.state == "new" })
                return orders.map(\.number)
            }
            #expect(left == [1, 4, 5, 7] + Array(100..<120))
            // snippet
            try await container.perform(isolation: .readCommitted) { context in
                for entity in ["Order", "Contract", "Ticket", "Customer"] {
                    try context.execute(BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: entity)))
                }
            }
            // end
            let count = try await container.perform { context in
                try context.count(Order.self) + context.count(Customer.self)
            }
            #expect(count == 0)
        }
    }
}
