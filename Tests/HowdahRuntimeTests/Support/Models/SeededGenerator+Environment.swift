import Foundation
import TestSupport

extension SeededGenerator {
    /// The seed of a random test, which prints it if it fails: `HOWDAH_SEED=7` runs the same choices again.
    static func chosenSeed(orElse seed: UInt64) -> UInt64 {
        ProcessInfo.processInfo.environment["HOWDAH_SEED"].flatMap { UInt64($0) } ?? seed
    }
}
