/// Which members of two lists continue one another: identifier to identifier first, the name standing for an
/// identifier that is not set, then identifier to name, then name to name.
///
/// Identifiers stay in model files long after the rename, so that comparing a new identifier with old names alone
/// would take a carried one for a removal and an addition.
struct NamePairing {
    struct Member {
        let name: String
        let identifier: String?
        /// How far below the root of the hierarchy the member is declared; 0 if there is none.
        var depth = 0

        var identity: String { identifier ?? name }
    }

    /// The old name by the new one.
    private(set) var sources: [String: String] = [:]

    /// - Parameters:
    ///   - old: The members of the former list.
    ///   - new: Those of the later one. If one of them has the identifier that is the name of another one, and is new
    ///     itself, it continues that name: it was renamed, and the other one took its name. A member of a subentity
    ///     cannot take the place of one that its superentity has as before.
    init(old: [Member], new: [Member]) {
        let names = Set(old.map(\.name))
        let renamed = Dictionary(
            new.compactMap { member in
                member.identifier.flatMap {
                    $0 == member.name || names.contains(member.name) ? nil : ($0, member.depth)
                }
            }, uniquingKeysWith: min)
        var free = old
        var open = new
        func pass(_ isSame: (Member, Member) -> Bool) {
            open.removeAll { member in
                guard let place = free.firstIndex(where: { isSame($0, member) }) else { return false }
                sources[member.name] = free.remove(at: place).name
                return true
            }
        }
        func isReplaced(_ member: Member) -> Bool {
            member.identifier == nil && renamed[member.name].map { $0 <= member.depth } ?? false
        }
        pass { $0.identity == $1.identity && $0.name == $1.name && !isReplaced($1) }
        pass { $0.identity == $1.identity && !isReplaced($1) }
        pass { $0.name == $1.identifier }
        pass { $0.name == $1.name }
    }
}
