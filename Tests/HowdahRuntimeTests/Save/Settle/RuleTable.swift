import Howdah

/// The matrix of shapes and rules as the documentation has it.
enum RuleTable {
    static let begin = "<!-- matrix: written by DeleteRuleMatrixTests with HOWDAH_RECORD=1 -->"
    static let end = "<!-- end of the matrix -->"

    static var text: String {
        var lines = [
            "| relationship | deleted | \(RuleShape.rules.map(\.title).joined(separator: " | ")) |",
            "|---|---|\(RuleShape.rules.map { _ in "---|" }.joined())",
        ]
        for shape in RuleShape.allCases {
            for victim in shape.victims {
                let cells = RuleShape.rules.map { cell(victim, shape, $0) }
                lines.append("| \(shape.title) | \(victim) | \(cells.joined(separator: " | ")) |")
            }
        }
        return lines.joined(separator: "\n")
    }

    /// Where foreign keys alone come to another end, that is added.
    private static func cell(_ victim: String, _ shape: RuleShape, _ rule: DeleteRule) -> String {
        let kept = RuleGraph.outcome(of: victim, shape, rule, keptBy: .all)
        let alone = RuleGraph.outcome(of: victim, shape, rule, keptBy: .foreignKeys)
        let text = self.text(kept, victim, shape)
        return kept == alone ? text : "\(text) ▲ \(self.text(alone, victim, shape))"
    }

    private static func text(_ outcome: RuleGraph.Outcome, _ victim: String, _ shape: RuleShape) -> String {
        switch outcome {
        case .denied: return "denied"
        case .missing: return "refused: required"
        case .graph(let graph):
            let gone = shape.objects.filter { !graph.objects.contains($0) && $0 != victim }
            let dangling = graph.links.filter {
                !graph.objects.contains($0.owner) || !graph.objects.contains($0.item)
            }
            let cut = shape.links.filter { link in
                !graph.links.contains(link)
                    && graph.objects.contains(link.owner) != graph.objects.contains(link.item)
            }
            let parts = [
                gone.isEmpty ? nil : "takes " + gone.joined(separator: ", "),
                dangling.isEmpty ? nil : "leaves " + dangling.sorted().map(\.title).joined(separator: ", "),
                cut.isEmpty ? nil : "cuts " + cut.sorted().map(\.title).joined(separator: ", "),
            ]
            let text = parts.compactMap(\.self).joined(separator: "; ")
            return text.isEmpty ? "goes" : text
        }
    }
}

extension RuleGraph.Link {
    fileprivate var title: String { "\(owner)→\(item)" }
}

extension DeleteRule {
    fileprivate var title: String {
        switch self {
        case .noAction: "no action"
        default: rawValue
        }
    }
}
