import Foundation
import Howdah
import HowdahModel
import Synchronization
import TestSupport

/// One of the anomalies of isolation, as two or three units of work that try to make it.
///
/// Each is a scenario with two rows, x = 10 and y = 20. Unit 1 and 2 write, and read what they have not written.
struct Anomaly: Sendable {
    let name: String
    let title: String
    /// Runs the units, and returns whether the anomaly happened.
    let run: @Sendable (Stage) async throws -> Bool

    /// The units of one run, and what they read.
    final class Stage: Sendable {
        let units: [SteppedUnit]
        let isolation: Isolation?
        private let reads = Mutex<[Int64]>([])

        init(_ container: PersistentContainer, _ isolation: Isolation?, _ sql: PlainSQL) {
            self.isolation = isolation
            units = (0..<3).map { _ in SteppedUnit(container, isolation, sql) }
        }

        /// Changes a row; a transaction sends it at once, a unit that is none when it ends.
        @discardableResult
        func write(_ unit: Int, _ name: String, _ value: Int64) async -> SteppedUnit.Outcome {
            let isTransaction = isolation != nil
            return await units[unit].run { context in
                let item = try context.fetch("Item", matching: .format("name == %@", name)).first
                item?["value"] = value
                if isTransaction { try context.save() }
            }
        }

        @discardableResult
        func insert(_ unit: Int, _ value: Int64) async -> SteppedUnit.Outcome {
            let isTransaction = isolation != nil
            return await units[unit].run { context in
                context.insert("Item")["value"] = value
                if isTransaction { try context.save() }
            }
        }

        /// The present value of a row, as this unit sees it.
        func read(_ unit: Int, _ name: String) async -> Int64? {
            let count = reads.withLock(\.count)
            await units[unit].run { [self] context in
                let item = try context.fetch("Item", matching: .format("name == %@", name)).first
                // An object that was read before shows what it was; this asks again.
                if let item, !item.hasChanges { context.refresh(item) }
                reads.withLock { $0.append(item?["value"] as? Int64 ?? -1) }
            }
            return reads.withLock { $0.count > count ? $0.last : nil }
        }

        /// The number of rows with a large value.
        func countOfLarge(_ unit: Int) async -> Int64? {
            let count = reads.withLock(\.count)
            await units[unit].run { [self] context in
                let found = try context.fetch("Item", matching: .format("value > 29"))
                reads.withLock { $0.append(Int64(found.count)) }
            }
            return reads.withLock { $0.count > count ? $0.last : nil }
        }

        /// Ends a unit; true if what it wrote is stored.
        func commit(_ unit: Int) async -> Bool {
            if isolation == nil { await units[unit].run { try $0.save() } }
            let outcome = await units[unit].commit()
            // Those that waited for it go on before the next step begins.
            for unit in units { await unit.settle() }
            return outcome == .done
        }

        /// Ends a unit with an error, which rolls it back if it is a transaction.
        func abandon(_ unit: Int) async {
            await units[unit].abandon()
            for unit in units { await unit.settle() }
        }
    }
}
