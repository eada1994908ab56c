import Foundation
import HowdahMigration

extension PlanFile {
    /// A stage as text of a plan's list.
    static func text(of stage: Stage) -> String {
        var lines: [String] = []
        if let label = stage.label { lines.append("label: \(quoted(label))") }
        if stage.kind == .lightweight {
            lines.append("versions:")
            lines += stage.versions.map { "  - \(text(of: $0))" }
        } else {
            lines.append("from: \(text(of: stage.versions[0]))")
            lines.append("to: \(text(of: stage.versions[1]))")
        }
        if !stage.confirmedDrops.isEmpty {
            lines.append("confirmedDrops: [\(stage.confirmedDrops.map(quoted).joined(separator: ", "))]")
        }
        if let mapping = stage.mapping { lines += Self.lines(of: mapping) }
        for (word, script) in [("willMigrate", stage.willMigrate), ("didMigrate", stage.didMigrate)] {
            guard let script else { continue }
            lines.append("\(word): |")
            lines += script.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)" }
        }
        return lines.enumerated().map { ($0 == 0 ? "  - " : "    ") + $1 }.joined(separator: "\n") + "\n"
    }

    private static func lines(of mapping: PlanMapping) -> [String] {
        switch mapping {
        case .file(let path, _): return ["mapping: \(quoted(path))"]
        case .entities(let entities, _):
            return ["mapping:"]
                + entities.flatMap { entity in
                    lines(of: entity).enumerated().map { ($0 == 0 ? "  - " : "    ") + $1 }
                }
        }
    }

    private static func lines(of entity: PlanEntityMapping) -> [String] {
        var lines = ["\(entity.act.rawValue): \(quoted(entity.entity))"]
        for (word, value) in [("from", entity.source), ("name", entity.name), ("filter", entity.filter)] {
            if let value { lines.append("\(word): \(quoted(value))") }
        }
        if !entity.properties.isEmpty {
            lines.append("set:")
            lines += entity.properties.map { "  \(quoted($0.name)): \(quoted($0.expression))" }
        }
        if !entity.left.isEmpty {
            lines.append("leave: [\(entity.left.map { quoted($0.name) }.joined(separator: ", "))]")
        }
        return lines
    }

    private static func text(of version: Version) -> String {
        let parts = [
            ("model", version.model), ("version", version.version), ("checksum", version.checksum),
        ]
        let list = parts.compactMap { word, value in value.map { "\(word): \(quoted($0))" } }
        return "{\(list.joined(separator: ", "))}"
    }

    /// In double quotes, which take any character.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// The text of a plan with a stage more at its end; what was there stays as it was, comments included.
    ///
    /// - Throws: `CommandError` where the list of stages is not the last thing in the file.
    static func adding(_ stage: Stage, to text: String?, at url: URL) throws -> String {
        let old = text.map { $0.isEmpty || $0.hasSuffix("\n") ? $0 : $0 + "\n" } ?? "stages:\n"
        let new = old + self.text(of: stage)
        let before = try text.map { try PlanFile($0, at: url).stages } ?? []
        guard let after = try? PlanFile(new, at: url).stages, isSame(after, before + [stage]) else {
            throw CommandError(
                "The stage cannot be added at the end of \(url.path(percentEncoded: false)). Put \"stages:\" last in the file, "
                    + "and indent its items by two spaces. The stage is:\n" + self.text(of: stage))
        }
        return new
    }

    /// The text of a plan of these stages, without the comments that there were.
    static func text(of stages: [Stage]) -> String {
        "stages:\n" + stages.map(text(of:)).joined()
    }

    /// Whether they are the same but for where they stand, and for blank ends of scripts.
    static func isSame(_ one: [Stage], _ other: [Stage]) -> Bool {
        func plain(_ stage: Stage) -> Stage {
            let trimmed = { (text: String) in text.trimmingCharacters(in: .whitespacesAndNewlines) }
            return Stage(
                label: stage.label, kind: stage.kind, versions: stage.versions,
                willMigrate: stage.willMigrate.map(trimmed), didMigrate: stage.didMigrate.map(trimmed),
                confirmedDrops: stage.confirmedDrops, mapping: stage.mapping?.unplaced, line: 0)
        }
        return one.map(plain) == other.map(plain)
    }
}
