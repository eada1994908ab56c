/// Gives every request of a namespace a name of its own, of at most 63 bytes.
///
/// The outcome depends on the set of requests, not on their order: names given by the user come first, then by
/// rank and identity. Whoever finds the wanted name taken gets a suffix made from its identity, so that it does
/// not depend on who else is there.
struct NameScope {
    /// Who may keep the plain name when several want it: what a subentity brings never takes it from the root.
    enum Rank: Int, Comparable {
        case given, declared, derived, declaredBelow, derivedBelow

        static func < (lhs: Rank, rhs: Rank) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    private struct Request {
        let identity: String
        let wanted: String
        let rank: Rank
    }

    /// The longest identifier PostgreSQL keeps, in bytes of UTF-8; it cuts longer ones without an error.
    static let maximumLength = 63

    private var requests: [Request] = []
    private(set) var taken: Set<String>

    init(taken: Set<String>) { self.taken = taken }

    /// Asks for `wanted`; `identity` is unique in the scope and the same whenever the same thing is named.
    mutating func request(_ wanted: String, for identity: String, rank: Rank) {
        // Names of the library's own future tables and columns stay free.
        let isReserved = wanted.hasPrefix("_howdah")
        requests.append(Request(identity: identity, wanted: isReserved ? "x" + wanted : wanted, rank: rank))
    }

    /// The names by identity.
    mutating func resolve() -> [String: String] {
        var result: [String: String] = [:]
        var crowded: [Request] = []
        for request in requests.sorted(by: { ($0.rank, $0.identity) < ($1.rank, $1.identity) }) {
            if request.wanted.utf8.count <= Self.maximumLength, taken.insert(request.wanted).inserted {
                result[request.identity] = request.wanted
            } else {
                crowded.append(request)
            }
        }
        for request in crowded {
            var attempt = 0
            var name: String
            repeat {
                name = Self.suffixed(request.wanted, identity: request.identity, attempt: attempt)
                attempt += 1
            } while !taken.insert(name).inserted
            result[request.identity] = name
        }
        requests = []
        return result
    }

    private static func suffixed(_ wanted: String, identity: String, attempt: Int) -> String {
        let seed = attempt == 0 ? identity : "\(identity)#\(attempt)"
        let suffix = "_" + SHA256.hexadecimal(of: seed.precomposed.utf8).prefix(8)
        var head = ""
        var length = suffix.utf8.count
        for scalar in wanted.unicodeScalars {
            length += UTF8.width(scalar)
            if length > maximumLength { break }
            head.unicodeScalars.append(scalar)
        }
        return head + suffix
    }
}

extension Unicode.Scalar {
    /// Control characters, line separators, and the marks that make text read in another direction.
    var isInvisibleControl: Bool {
        switch self {
        case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}", "\u{2028}", "\u{2029}": true
        default: properties.generalCategory == .control
        }
    }
}
