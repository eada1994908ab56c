import Howdah

/// Entities without classes whose relationships all lead back to the same hierarchy: a tree, links, and
/// twins.
enum Nodes {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Node",
                properties: [
                    .attribute("number", .integer64, optional: false),
                    .attribute("value", .integer64, default: 0),
                    .relationship("parent", to: "Node", inverse: "children"),
                    .relationship("children", to: "Node", inverse: "parent", toMany: true),
                    .relationship("links", to: "Node", inverse: "linkedBy", toMany: true),
                    .relationship("linkedBy", to: "Node", inverse: "links", toMany: true),
                    .relationship("twin", to: "Node", inverse: "twinOf"),
                    .relationship("twinOf", to: "Node", inverse: "twin"),
                ]),
            EntityDescription("Leaf", superentity: "Node", properties: [.attribute("note", .string)]),
        ])
    }
}

/// What a graph of nodes should look like, by the nodes' numbers.
struct NodeGraph: Equatable, Sendable {
    struct Pair: Hashable, Sendable {
        let a: Int
        let b: Int
    }

    var nodes: Set<Int> = []
    var values: [Int: Int] = [:]
    var parents: [Int: Int] = [:]
    var links: Set<Pair> = []
    var twins: [Int: Int] = [:]

    mutating func setTwin(_ a: Int, _ b: Int?) {
        twins[a] = nil
        guard let b else { return }
        for (key, value) in twins where value == b { twins[key] = nil }
        twins[a] = b
    }

    mutating func remove(_ node: Int) {
        nodes.remove(node)
        values[node] = nil
        parents = parents.filter { $0.key != node && $0.value != node }
        links = links.filter { $0.a != node && $0.b != node }
        twins = twins.filter { $0.key != node && $0.value != node }
    }

    /// What the objects say, from one side of each relationship; `mirrored` reads the other one.
    init(_ objects: [ManagedObject], mirrored: Bool) {
        for object in objects {
            let node = object.nodeNumber
            nodes.insert(node)
            values[node] = object["value"].flatMap { $0 as? Int64 }.map(Int.init)
            if mirrored {
                for child in object.members(forKey: "children") { parents[child.nodeNumber] = node }
                for other in object.members(forKey: "linkedBy") {
                    links.insert(Pair(a: other.nodeNumber, b: node))
                }
                if let other = object["twinOf"] as? ManagedObject { twins[other.nodeNumber] = node }
            } else {
                parents[node] = (object["parent"] as? ManagedObject)?.nodeNumber
                for other in object.members(forKey: "links") {
                    links.insert(Pair(a: node, b: other.nodeNumber))
                }
                twins[node] = (object["twin"] as? ManagedObject)?.nodeNumber
            }
        }
    }

    init() {}

    /// Where two graphs differ, for messages.
    func difference(_ other: NodeGraph) -> String {
        var lines: [String] = []
        if nodes != other.nodes { lines.append("nodes \(nodes.symmetricDifference(other.nodes))") }
        if values != other.values { lines.append("values \(values) \(other.values)") }
        if parents != other.parents { lines.append("parents \(parents) \(other.parents)") }
        if links != other.links { lines.append("links \(links.symmetricDifference(other.links))") }
        if twins != other.twins { lines.append("twins \(twins) \(other.twins)") }
        return lines.joined(separator: "; ")
    }
}

extension ManagedObject {
    var nodeNumber: Int { (value(forKey: "number") as? Int64).map(Int.init) ?? -1 }
}
