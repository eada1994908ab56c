import HowdahModel
import Yams

extension PlanFileReader {
    private static let itemWords = ["make", "add", "remove", "from", "name", "filter", "set", "leave"]

    /// A path, or a list of entities.
    func planMapping(_ node: Node) throws -> PlanMapping {
        let line = node.mark?.line ?? 0
        switch node {
        case .scalar: return .file(try text(of: node), line: line)
        case .sequence(let items) where !items.isEmpty:
            return .entities(try items.map(entityMapping), line: line)
        default:
            throw fault(
                node,
                "\"mapping\" has the wrong form. Use the path of a mapping model, or a list of entities, each with \"make\", "
                    + "\"add\" or \"remove\""
            )
        }
    }

    private func entityMapping(_ node: Node) throws -> PlanEntityMapping {
        let words = try mapping(node, Self.itemWords)
        let acts = PlanEntityMapping.Act.allCases.filter { words[$0.rawValue] != nil }
        guard acts.count == 1, let act = acts.first, let entity = words[act.rawValue] else {
            throw fault(
                node, "the entity needs exactly one of \"make\", \"add\" and \"remove\". Use one of them")
        }
        if act != .make, let (word, value) = words.first(where: { $0.key != act.rawValue }) {
            throw fault(
                value,
                "\"\(word)\" is not allowed if the entity is \(act.past). Remove \"\(word)\", or use \"make\""
            )
        }
        return PlanEntityMapping(
            act: act, entity: try text(of: entity), source: try words["from"].map(text(of:)),
            name: try words["name"].map(text(of:)), filter: try words["filter"].map(text(of:)),
            properties: try words["set"].map(properties) ?? [], left: try words["leave"].map(left) ?? [],
            line: node.mark?.line ?? 0)
    }

    private func properties(_ node: Node) throws -> [PlanEntityMapping.Property] {
        guard case .mapping(let pairs) = node else {
            throw fault(
                node,
                "\"set\" has no properties. List properties with expressions, as in \"title: $source.name\"")
        }
        return try pairs.map { key, value in
            PlanEntityMapping.Property(
                name: try text(of: key), expression: try text(of: value), line: key.mark?.line ?? 0)
        }
    }

    private func left(_ node: Node) throws -> [PlanEntityMapping.Property] {
        guard case .sequence(let names) = node else {
            throw fault(node, "\"leave\" is not a list. Use a list of properties")
        }
        return try names.map {
            PlanEntityMapping.Property(name: try text(of: $0), expression: "", line: $0.mark?.line ?? 0)
        }
    }
}

extension PlanEntityMapping.Act {
    fileprivate var past: String { self == .remove ? "removed" : "added" }
}
