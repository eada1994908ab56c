import Foundation

/// The public declarations of the products, by their path: `ManagedObjectContext.count(for:)`.
struct PublicSymbols {
    /// The types, each with its surrounding types.
    private(set) var types: Set<String>
    private let instanceMembers: Set<String>
    private let staticMembers: Set<String>

    /// Collects declarations written as in `docs/core-data-api.md`: type members begin with `static`.
    init(types: Set<String>, members: [String]) {
        self.types = types
        let isStatic = { (member: String) in member.hasPrefix("static ") }
        staticMembers = Set(members.filter(isStatic).map { String($0.dropFirst("static ".count)) })
        instanceMembers = Set(members.filter { !isStatic($0) })
    }

    /// Reads every symbol graph in `folder`.
    init(symbolGraphs folder: URL) throws {
        struct Graph: Decodable {
            struct Symbol: Decodable {
                struct Kind: Decodable { let identifier: String }
                let kind: Kind
                let pathComponents: [String]
            }
            let symbols: [Symbol]
        }
        let kinds: Set<String> = [
            "swift.class", "swift.struct", "swift.enum", "swift.protocol", "swift.typealias",
        ]
        let typeMembers: Set<String> = ["swift.type.method", "swift.type.property", "swift.enum.case"]
        var types: Set<String> = []
        var members: [String] = []
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        where file.lastPathComponent.hasSuffix(".symbols.json") {
            for symbol in try JSONDecoder().decode(Graph.self, from: Data(contentsOf: file)).symbols
            where !symbol.pathComponents.contains(where: { $0.hasPrefix("_") }) {
                let path = symbol.pathComponents.joined(separator: ".")
                let kind = symbol.kind.identifier
                if kinds.contains(kind) { types.insert(path) }
                members.append(typeMembers.contains(kind) ? "static " + path : path)
            }
        }
        self.init(types: types, members: members)
    }

    /// The number of declarations.
    var count: Int { instanceMembers.count + staticMembers.count }

    /// Indicates whether the path is a type, or a member of either kind.
    func contains(_ path: String) -> Bool {
        types.contains(path) || instanceMembers.contains(path) || staticMembers.contains(path)
    }

    /// Indicates whether a type has a member of the name and kind that `name` says.
    func has(_ name: CoreDataPage.Name, in type: String) -> Bool {
        (name.isStatic ? staticMembers : instanceMembers).contains("\(type).\(name.text)")
    }

    /// The members of the same type whose names differ from the path's in labels or parentheses only.
    func relatives(of path: String) -> [String] {
        let base = path.prefix { $0 != "(" }
        return instanceMembers.union(staticMembers)
            .filter { $0.prefix { $0 != "(" } == base }.sorted()
    }
}
