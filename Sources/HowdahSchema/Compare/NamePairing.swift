/// Which members of two lists continue one another: identifier to identifier first, the name standing for an
/// identifier that is not set, then identifier to name, then name to name.
///
/// Identifiers stay in model files long after the rename, so that comparing a new identifier with old names alone
/// would take a carried one for a removal and an addition.
struct NamePairing {
    struct Member {
        let name: String
        let identifier: String?

        var identity: String { identifier ?? name }
    }

    /// The old name by the new one.
    private(set) var sources: [String: String] = [:]

    init(old: [Member], new: [Member]) {
        var free = old
        var open = new
        func pass(_ isSame: (Member, Member) -> Bool) {
            open.removeAll { member in
                guard let place = free.firstIndex(where: { isSame($0, member) }) else { return false }
                sources[member.name] = free.remove(at: place).name
                return true
            }
        }
        pass { $0.identity == $1.identity && $0.name == $1.name }
        pass { $0.identity == $1.identity }
        pass { $0.name == $1.identifier }
        pass { $0.name == $1.name }
    }
}
