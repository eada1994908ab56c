/// The addresses of a site's pages, below the path at which it is mounted.
struct Links: Sendable {
    let prefix: String

    /// A number of the texts of the style and the script, so that a browser uses none of an earlier version.
    static let version = String(
        (Stylesheet.text + Script.text).utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }, radix: 36)

    init(prefix: String) {
        self.prefix = prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix
    }

    var entities: String { prefix + "/" }
    var stylesheet: String { prefix + "/browse.css?v=\(Self.version)" }
    var script: String { prefix + "/browse.js?v=\(Self.version)" }
    /// The locked tables on the page of activity.
    var locks: String { page("activity") + "#locks" }
    var icon: String { prefix + "/favicon.svg" }

    func page(_ segments: String..., query: [(name: String, value: String)] = []) -> String {
        prefix + segments.map { "/" + PathSegment.encoded($0) }.joined() + FormText.query(query)
    }

    /// The part of the diagram around an entity.
    func diagram(_ entity: String) -> String { page("diagram", query: [("entity", entity)]) }

    func structure(_ entity: String) -> String { page("structure", entity) }

    func objects(_ entity: String, query: [(name: String, value: String)] = []) -> String {
        page("objects", entity, query: query)
    }

    func object(_ entity: String, _ key: Int64) -> String { page("object", entity, String(key)) }

    func value(_ entity: String, _ key: Int64, _ attribute: String) -> String {
        page("value", entity, String(key), attribute)
    }
}
