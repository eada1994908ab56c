#if Server || All || Telemetry
import Synchronization

/// The types of errors that are labels, of which there are only so many.
///
/// Functions in the database can raise any SQLSTATE, and bodies of `perform` can throw any type. The codes of the library,
/// and the SQLSTATEs that it acts on, do not count.
final class ErrorTypes: Sendable {
    private static let limit = 100
    /// OpenTelemetry's name for all others.
    private static let others = "_OTHER"

    private let known = Mutex<Set<String>>([])

    /// Returns the label of an error.
    func label(_ error: any Error) -> String {
        let type = error.telemetryType
        if error.hasOwnLabel { return type }
        return known.withLock { known in
            if known.contains(type) { return type }
            guard known.count < Self.limit else { return Self.others }
            known.insert(type)
            return type
        }
    }
}
#endif
