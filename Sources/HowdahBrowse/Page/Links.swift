/// The addresses of a site's pages, below the path at which it is mounted.
struct Links: Sendable {
    let prefix: String

    init(prefix: String) {
        self.prefix = prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix
    }

    var entities: String { prefix + "/" }
    var stylesheet: String { prefix + "/browse.css" }
    var script: String { prefix + "/browse.js" }
    var icon: String { prefix + "/favicon.svg" }

    func page(_ segments: String..., query: [(name: String, value: String)] = []) -> String {
        prefix + segments.map { "/" + FormText.encoded($0) }.joined() + FormText.query(query)
    }

    func structure(_ entity: String) -> String { page("structure", entity) }

    func objects(_ entity: String, query: [(name: String, value: String)] = []) -> String {
        page("objects", entity, query: query)
    }

    func object(_ entity: String, _ key: Int64) -> String { page("object", entity, String(key)) }

    func value(_ entity: String, _ key: Int64, _ attribute: String) -> String {
        page("value", entity, String(key), attribute)
    }
}
