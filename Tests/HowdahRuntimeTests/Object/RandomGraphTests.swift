import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Random changes to a graph against a model of sets and dictionaries: both sides of every relationship say what the
/// model says, at any moment, whatever is loaded; and after a save so does the store.
@Suite struct RandomGraphTests {
    @Test func relationshipsFollowTheModel() async throws {
        // The last one took a twin from a node that the same save deleted.
        let seeds = Array(UInt64(100)..<TestTier.choose(quick: 125, all: 125, nightly: 2_000)) + [597]
        try await withTestStore(Nodes.model()) { container in
            for seed in seeds {
                let trace = try await container.perform { context in
                    var walk = GraphWalk(seed: seed, context: context, container: container)
                    do {
                        return try walk.run(steps: 70)
                    } catch {
                        Issue.record("seed \(seed): \(error)\n\(walk.trace.joined(separator: "\n"))")
                        return "failed"
                    }
                }
                if !trace.isEmpty {
                    Issue.record("seed \(seed): \(trace)")
                    return
                }
                try await container.perform { context in
                    for node in try context.fetch("Node") { context.delete(node) }
                    try context.save()
                }
            }
        }
    }
}

/// One random walk; stops at the first difference and tells how it came about.
private struct GraphWalk {
    private var random: SeededGenerator
    private let context: ManagedObjectContext
    private let container: PersistentContainer
    private var graph = NodeGraph()
    private var committed = NodeGraph()
    private var objects: [Int: ManagedObject] = [:]
    private var lastNumber = 0
    private(set) var trace: [String] = []

    init(seed: UInt64, context: ManagedObjectContext, container: PersistentContainer) {
        random = SeededGenerator(seed: seed)
        self.context = context
        self.container = container
    }

    /// Empty where all went well, else what differed after which steps.
    mutating func run(steps: Int) throws -> String {
        for _ in 0..<8 { create() }
        for _ in 0..<steps {
            try step()
            if random.chance(25), let difference = difference() { return report(difference) }
        }
        try save()
        return difference().map(report) ?? storedDifference().map(report) ?? ""
    }

    private func report(_ difference: String) -> String { difference + "\n" + trace.joined(separator: "\n") }

    private mutating func step() throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<8: create()
        case 8..<11: try delete()
        case 11..<30: changeParent()
        case 30..<50: changeLinks()
        case 50..<60: changeTwin()
        case 60..<68: changeValue()
        case 68..<78: changeTwin()
        case 78..<84: probe()
        case 84..<88: refresh()
        case 88..<90: rollback()
        case 90..<96: try save()
        default: try startAnew()
        }
        try context.failure.map { throw $0 }
    }

    private mutating func node() -> Int { random.pick(graph.nodes.sorted()) }
    private mutating func optionalNode() -> Int? { random.chance(25) ? nil : node() }
    private func object(_ node: Int) -> ManagedObject { objects[node] ?? context.insert("Node") }

    private mutating func create() {
        lastNumber += 1
        let object = context.insert(random.pick(["Node", "Leaf"]))
        object["number"] = lastNumber
        objects[lastNumber] = object
        graph.nodes.insert(lastNumber)
        graph.values[lastNumber] = 0
        trace.append("create \(lastNumber)")
    }

    private mutating func delete() throws {
        guard graph.nodes.count > 4 else { return }
        let node = node()
        trace.append("delete \(node)")
        context.delete(object(node))
        objects[node] = nil
        graph.remove(node)
        try save()
    }

    private mutating func changeParent() {
        let (node, parent) = (node(), optionalNode())
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            guard let parent else { return }
            trace.append("insert \(node) into children of \(parent)")
            object(parent).members(forKey: "children").insert(object(node))
            graph.parents[node] = parent
        case 1:
            let owner = graph.parents[node] ?? self.node()
            trace.append("remove \(node) from children of \(owner)")
            object(owner).members(forKey: "children").remove(object(node))
            if graph.parents[node] == owner { graph.parents[node] = nil }
        case 2 where random.chance(30):
            let wanted = (0..<3).map { _ in self.node() }
            trace.append("children of \(node) = \(wanted)")
            object(node).setValue(wanted.map(object), forKey: "children")
            graph.parents = graph.parents.filter { $0.value != node }
            for child in wanted { graph.parents[child] = node }
        default:
            trace.append("parent of \(node) = \(parent.map(String.init) ?? "nil")")
            object(node)["parent"] = parent.map(object)
            graph.parents[node] = parent
        }
    }

    private mutating func changeLinks() {
        let (a, b) = (node(), node())
        let pair = NodeGraph.Pair(a: a, b: b)
        let (inserts, fromA) = (random.chance(60), random.chance(50))
        trace.append("\(inserts ? "link" : "unlink") \(a) \(b)\(fromA ? "" : " from the other side")")
        let (members, member) =
            fromA
            ? (object(a).members(forKey: "links"), object(b))
            : (object(b).members(forKey: "linkedBy"), object(a))
        if inserts {
            members.insert(member)
            graph.links.insert(pair)
        } else {
            members.remove(member)
            graph.links.remove(pair)
        }
    }

    private mutating func changeTwin() {
        let (a, b) = (node(), optionalNode())
        if random.chance(50) {
            trace.append("twin of \(a) = \(b.map(String.init) ?? "nil")")
            object(a)["twin"] = b.map(object)
            graph.setTwin(a, b)
        } else {
            trace.append("twinOf of \(a) = \(b.map(String.init) ?? "nil")")
            object(a)["twinOf"] = b.map(object)
            for (key, value) in graph.twins where value == a { graph.twins[key] = nil }
            if let b { graph.setTwin(b, a) }
        }
    }

    private mutating func changeValue() {
        let (node, value) = (node(), Int.random(in: 0..<100, using: &random))
        trace.append("value of \(node) = \(value)")
        object(node)["value"] = value
        graph.values[node] = value
    }

    /// Counting and membership, without walking.
    private mutating func probe() {
        let (a, b) = (node(), node())
        trace.append("probe \(a) \(b)")
        let children = object(a).members(forKey: "children")
        let (count, expected) = (children.count, graph.parents.filter { $0.value == a }.count)
        #expect(count == expected, "children of \(a)\n\(trace.joined(separator: "\n"))")
        #expect(children.contains(object(b)) == (graph.parents[b] == a), "\(trace.joined(separator: "\n"))")
        let links = object(a).members(forKey: "links")
        #expect(
            links.contains(object(b)) == graph.links.contains(.init(a: a, b: b)),
            "\(trace.joined(separator: "\n"))")
        #expect(links.count == graph.links.filter { $0.a == a }.count, "\(trace.joined(separator: "\n"))")
    }

    private mutating func refresh() {
        let node = node()
        guard committed.nodes.contains(node), graph.twins[node] == committed.twins[node],
            graph.twins.first(where: { $0.value == node })?.key
                == committed.twins.first(where: { $0.value == node })?.key
        else { return }
        trace.append("refresh \(node)")
        context.refresh(object(node))
        graph.values[node] = committed.values[node]
        graph.parents[node] = committed.parents[node]
    }

    private mutating func rollback() {
        trace.append("rollback")
        context.rollback()
        graph = committed
        objects = objects.filter { committed.nodes.contains($0.key) }
        while graph.nodes.count < 4 { create() }
    }

    private mutating func save() throws {
        trace.append("save")
        try context.save()
        committed = graph
        #expect(!context.hasChanges)
    }

    /// Saves, and goes on with objects of which little is loaded.
    private mutating func startAnew() throws {
        try save()
        let ids = objects.mapValues(\.objectID)
        objects = [:]
        context.reset()
        let kind = Int.random(in: 0..<3, using: &random)
        trace.append("start anew \(kind)")
        if kind == 0 {
            for object in try context.fetch("Node") { objects[object.nodeNumber] = object }
        } else {
            for (node, id) in ids {
                objects[node] = kind == 1 ? context.object(with: id) : try context.existingObject(with: id)
            }
        }
    }

    private func difference() -> String? {
        let all = objects.sorted { $0.key < $1.key }.map(\.value)
        let (own, other) = (NodeGraph(all, mirrored: false), NodeGraph(all, mirrored: true))
        if own != graph { return "own sides: \(own.difference(graph))" }
        if other != graph { return "other sides: \(other.difference(graph))" }
        return nil
    }

    private func storedDifference() -> String? {
        do {
            let (own, other) = try container.newBackgroundContext().performAndWait { context in
                let all = try context.fetch("Node")
                return (NodeGraph(all, mirrored: false), NodeGraph(all, mirrored: true))
            }
            if own != graph { return "stored own sides: \(own.difference(graph))" }
            if other != graph { return "stored other sides: \(other.difference(graph))" }
            return nil
        } catch {
            return "\(error)"
        }
    }
}
