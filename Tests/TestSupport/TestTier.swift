import Foundation

/// How much the tests do: `scripts/test` runs the quick settings, `scripts/test --all` those of CI, `--nightly` the long ones.
///
/// The environment variable `HOWDAH_TIER` is `all` or `nightly`; quick is the default, also for `swift test`.
public enum TestTier: Int, Comparable, Sendable {
    case quick, all, nightly

    /// The tier of this run.
    public static let current: TestTier =
        switch ProcessInfo.processInfo.environment["HOWDAH_TIER"] {
        case "nightly": .nightly
        case "all": .all
        default: .quick
        }

    /// Indicates whether the long settings apply.
    public static var isNightly: Bool { current == .nightly }

    /// Returns the value for this run's tier.
    public static func choose<T>(quick: T, all: T, nightly: T) -> T {
        switch current {
        case .quick: quick
        case .all: all
        case .nightly: nightly
        }
    }

    /// Orders tiers by how much they do.
    public static func < (left: TestTier, right: TestTier) -> Bool { left.rawValue < right.rawValue }
}
