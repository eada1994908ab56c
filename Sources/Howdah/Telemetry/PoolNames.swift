#if Server || All || Telemetry
import HowdahRuntime
import Synchronization

/// The names of the pools in the process. Two pools of one database differ by a number, or one would overwrite the
/// meters of the other.
enum PoolNames {
    private static let taken = Mutex<Set<String>>([])

    /// Returns a name that no other pool has, until it is released.
    static func take(_ place: StorePlace) -> String {
        let server = place.host.map { $0 + (place.port.map { ":\($0)" } ?? "") + "/" } ?? ""
        let first = server + (place.namespace.split(separator: "|").first.map(String.init) ?? "")
        return taken.withLock { taken in
            var (name, number) = (first, 1)
            while !taken.insert(name).inserted {
                number += 1
                name = "\(first)#\(number)"
            }
            return name
        }
    }

    static func release(_ name: String) { taken.withLock { _ = $0.remove(name) } }
}
#endif
