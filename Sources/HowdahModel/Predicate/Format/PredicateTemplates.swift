import Synchronization

/// The formats that the process uses again and again, so that their texts are read once.
///
/// A format gets a template when it is met the second time. Programs that write values into their formats
/// make a new one each time, and each of these costs a line in a list.
final class PredicateTemplates: Sendable {
    static let shared = PredicateTemplates()

    private enum Entry {
        case met
        case template(PredicateTemplate)
        /// The parser must read it each time.
        case unsuitable
    }

    /// The number of formats after which it forgets all of them.
    static let limit = 512
    /// The bytes of the longest format that it keeps.
    static let formatBytes = 1_000

    private let entries = Mutex<[String: Entry]>([:])

    /// The number of formats that it knows.
    var count: Int { entries.withLock { $0.count } }

    /// Returns the tree of a format with a template; nil if the parser must read it.
    func tree(of format: String, _ arguments: [(any Sendable)?]) -> PredicateTree? {
        guard format.utf8.count <= Self.formatBytes,
            case .template(let template)? = entries.withLock({ $0[format] })
        else { return nil }
        return template.tree(arguments)
    }

    /// Notes that the parser has read a format without an error.
    func note(_ format: String, _ arguments: [(any Sendable)?]) {
        guard format.utf8.count <= Self.formatBytes else { return }
        let isMetAgain = entries.withLock { entries in
            switch entries[format] {
            case .met?: return true
            case .template?, .unsuitable?: return false
            case nil:
                if entries.count >= Self.limit { entries.removeAll(keepingCapacity: true) }
                entries[format] = .met
                return false
            }
        }
        guard isMetAgain else { return }
        let entry = PredicateTemplate(format: format, arguments: arguments).map(Entry.template) ?? .unsuitable
        entries.withLock { $0[format] = entry }
    }
}
