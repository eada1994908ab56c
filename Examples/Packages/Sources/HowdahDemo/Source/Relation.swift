/// One name in a relationship field of a control file, such as `libc6:any (>= 2.36)`.
///
/// Source: Debian Policy Manual, section 7.1.
struct Relation {
    let name: String
    let constraint: VersionConstraint?

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "(", maxSplits: 1)
        // What follows a colon is an architecture, which the demo does not tell apart.
        guard let word = parts.first?.split(separator: " ").first?.split(separator: ":").first
        else { return nil }
        name = String(word)
        guard parts.count == 2 else {
            constraint = nil
            return
        }
        let inside = parts[1].prefix { $0 != ")" }
        let relation = inside.prefix { "<>=".contains($0) }
        let version = inside.dropFirst(relation.count).drop { $0 == " " }
        constraint = VersionConstraint(relation: String(relation), version: String(version))
    }
}
