import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Objects that findOrInsert finds and cannot insert.
@Suite(.timeLimit(.minutes(60))) struct FindOrInsertRefusalTests {
    /// A row alone does not keep the place in the list, so a save has to insert it.
    @Test func aMemberOfAnOrderedListIsOnlyFound() async throws {
        try await withTestStore(ManagedObjectModel(KeyTray.self, KeySlot.self)) { container in
            try await container.perform { context in
                let tray = KeyTray(context: context)
                let slot = KeySlot(context: context)
                (slot.tray, slot.number) = (tray, 1)
                try context.save()
                #expect(
                    try context.findOrInsert(KeySlot.self, by: (\.tray, tray), (\.number, 1)) === slot)
                let error = #expect(throws: FetchError.self) {
                    _ = try context.findOrInsert(KeySlot.self, by: (\.tray, tray), (\.number, 2))
                }
                #expect(error?.code == .invalidRequest)
                #expect(error?.message.contains("the inverse of tray is ordered") == true)
                #expect(context.insertedObjects.isEmpty)
            }
        }
    }

    /// Another program made the column narrower, so the stored value is another one.
    @Test func aColumnThatRoundsIsNamed() async throws {
        try await withTestStore(ManagedObjectModel(KeyPrice.self)) { container in
            try await container.perform { context in
                _ = try context.fetchRows(
                    sql: "ALTER TABLE key_price ALTER COLUMN amount TYPE numeric(10,2)")
                let amount = try #require(Decimal(string: "1.239"))
                _ = try context.findOrInsert(KeyPrice.self, by: \.amount, amount)
                context.reset()
                let error = #expect(throws: SaveError.self) {
                    _ = try context.findOrInsert(KeyPrice.self, by: \.amount, amount)
                }
                #expect(error?.code == .conflict)
                #expect(error?.message.contains("KeyPrice.amount") == true)
                #expect(error?.message.contains("The column changes the value") == true)
                #expect(context.insertedObjects.isEmpty)
            }
            try await #expect(container.perform { try $0.count(KeyPrice.self) } == 1)
        }
    }
}

@Entity private final class KeyTray: ManagedObject {
    @Relationship(inverse: "tray") var slots: OrderedToMany<KeySlot>
}

@Entity(unique: [["tray", "number"]]) private final class KeySlot: ManagedObject {
    var number: Int
    @Relationship(inverse: "slots") var tray: KeyTray?
}

@Entity private final class KeyPrice: ManagedObject {
    @Attribute(.unique) var amount: Decimal
}
