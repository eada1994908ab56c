import Foundation
import HowdahMigration
import HowdahModel
import Yams

/// Reads the YAML of a plan; everything that it does not know is an error, so that a misspelled word does not go unnoticed.
struct PlanFileReader {
    let path: String

    private static let stageWords = [
        "label", "versions", "from", "to", "willMigrate", "didMigrate", "confirmedDrops", "mapping",
    ]

    func read(_ text: String) throws -> (model: String?, [PlanFile.Stage]) {
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            throw CommandError(
                "The plan \(path) is not valid YAML. Correct this error: \(error)", code: "invalidPlan")
        }
        guard let root, case .mapping = root else {
            throw CommandError(
                "The plan \(path) has no \(root == nil ? "content" : "keys"). Begin the file with \"stages:\" and a list of stages.",
                code: "invalidPlan")
        }
        let words = try mapping(root, ["model", "stages"])
        let model = try words["model"].map(text(of:))
        guard let list = words["stages"], case .sequence(let nodes) = list else {
            throw fault(
                words["stages"] ?? root,
                "\"stages\" is \(words["stages"] == nil ? "missing" : "not a list"). Add a list of stages")
        }
        if nodes.isEmpty {
            throw fault(list, "\"stages\" is empty. Add a stage, for example with howdah migrate new")
        }
        return (model, try nodes.map { try stage($0, model) })
    }

    private func stage(_ node: Node, _ model: String?) throws -> PlanFile.Stage {
        let words = try mapping(node, Self.stageWords)
        let handlers = (
            try words["willMigrate"].map(text(of:)), try words["didMigrate"].map(text(of:))
        )
        let ends = [words["from"], words["to"]].compactMap { $0 }
        let listed: [Node]
        switch (words["versions"], ends.count) {
        case (.sequence(let nodes)?, 0) where nodes.count > 1: listed = Array(nodes)
        case (let versions?, 0):
            throw fault(versions, "\"versions\" is not a list of two or more. List at least two versions")
        case (nil, 2): listed = ends
        default:
            throw fault(node, "a stage needs \"versions\", or \"from\" and \"to\". Use one of the two forms")
        }
        let isCustom = handlers.0 != nil || handlers.1 != nil || words["confirmedDrops"] != nil
        if let mapping = words["mapping"] {
            guard handlers.0 == nil, handlers.1 == nil else {
                throw fault(
                    mapping,
                    "a stage cannot have a mapping and handlers. Move the handlers to a separate stage")
            }
            guard listed.count == 2 else {
                throw fault(
                    mapping,
                    "a stage with a mapping must have exactly two versions, and this stage has \(listed.count). "
                        + "Put the other versions into separate stages")
            }
        }
        if isCustom, listed.count != 2 {
            throw fault(
                node,
                "a stage with handlers or confirmedDrops must have exactly two versions, and this stage has "
                    + "\(listed.count). Put the other versions into separate stages"
            )
        }
        return PlanFile.Stage(
            label: try words["label"].map(text(of:)),
            kind: words["mapping"] != nil ? .mapped : isCustom ? .custom : .lightweight,
            versions: try listed.map { try version($0, model) }, willMigrate: handlers.0,
            didMigrate: handlers.1, confirmedDrops: try words["confirmedDrops"].map(texts(of:)) ?? [],
            mapping: try words["mapping"].map(planMapping), line: node.mark?.line ?? 0)
    }

    private func version(_ node: Node, _ model: String?) throws -> PlanFile.Version {
        if case .scalar = node {
            guard let model else {
                throw fault(node, "the version has no model. Add \"model:\" at the top of the plan")
            }
            return PlanFile.Version(model: model, version: try text(of: node), checksum: nil)
        }
        let words = try mapping(node, ["model", "version", "checksum"])
        guard let path = try words["model"].map(text(of:)) ?? model else {
            throw fault(
                node,
                "the version has no \"model\". Add the path of the model file, relative to the plan's folder")
        }
        return PlanFile.Version(
            model: path, version: try words["version"].map(text(of:)),
            checksum: try words["checksum"].map(text(of:)))
    }

    func mapping(_ node: Node, _ known: [String]) throws -> [String: Node] {
        guard case .mapping(let mapping) = node else {
            throw fault(
                node, "keys with values are expected. Use these keys: \(known.joined(separator: ", "))")
        }
        var words: [String: Node] = [:]
        for (key, value) in mapping {
            let word = try text(of: key)
            guard known.contains(word) else {
                let hint = NearestName.of(word, among: known).map { " Did you mean \"\($0)\"?" } ?? ""
                throw fault(
                    key, "unknown key \"\(word)\".\(hint) Use one of these: \(known.joined(separator: ", "))")
            }
            words[word] = value
        }
        return words
    }

    private func texts(of node: Node) throws -> [String] {
        guard case .sequence(let nodes) = node else {
            throw fault(node, "the value is not a list. Use a list")
        }
        return try nodes.map(text(of:))
    }

    func text(of node: Node) throws -> String {
        guard case .scalar(let scalar) = node else {
            throw fault(node, "the value is a list or has keys. Use a text")
        }
        if scalar.string.isEmpty { throw fault(node, "the value is empty. Use a text") }
        return scalar.string
    }

    func fault(_ node: Node, _ message: String) -> CommandError {
        CommandError(
            "The plan \(path), line \(node.mark?.line ?? 0): \(message).", code: "invalidPlan")
    }
}
