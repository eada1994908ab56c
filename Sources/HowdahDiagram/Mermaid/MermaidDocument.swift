/// A model as a Mermaid class diagram.
///
/// A filled diamond stands at the end whose delete cascades; a dotted arrow is a relationship without inverse.
struct MermaidDocument {
    private let content: DiagramContent
    private let identifiers: [String]

    init(_ content: DiagramContent) {
        self.content = content
        // A name that is no identifier gets a numbered one, which no entity's name may be already.
        let taken = Set(content.boxes.map(\.name))
        var number = 0
        identifiers = content.boxes.map { box in
            if box.name.isMermaidIdentifier { return box.name }
            repeat { number += 1 } while taken.contains("Entity\(number)")
            return "Entity\(number)"
        }
    }

    var text: String {
        var lines = ["classDiagram", "    direction LR"]
        for (box, identifier) in zip(content.boxes, identifiers) {
            lines += declaration(of: box, identifier).map { "    " + $0 }
        }
        for connection in content.connections { lines.append("    " + self.line(of: connection)) }
        return lines.joined(separator: "\n") + "\n"
    }

    private func declaration(of box: EntityBox, _ identifier: String) -> [String] {
        let name = box.name == identifier ? identifier : "\(identifier)[\"\(box.name.mermaidEscaped)\"]"
        var members = box.isAbstract ? ["<<abstract>>"] : []
        var path: [String] = []
        for row in box.rows where [.attribute, .element].contains(row.kind) {
            path.removeLast(max(0, path.count - row.depth))
            path.append(row.name.mermaidEscaped)
            let marks = row.marks.map { " " + $0 }.joined()
            members.append("\(row.type.mermaidEscaped) \(path.joined(separator: "."))\(marks)")
        }
        for names in box.uniquenessConstraints {
            members.append("unique " + names.map(\.mermaidEscaped).joined(separator: ", "))
        }
        guard !members.isEmpty else { return ["class \(name)"] }
        return ["class \(name) {"] + members.map { "    " + $0 } + ["}"]
    }

    private func line(of connection: Connection) -> String {
        let (from, to) = (identifiers[connection.from.box], identifiers[connection.to.box])
        if connection.kind == .inheritance { return "\(to) <|-- \(from)" }
        let near = connection.from.cardinality.isEmpty ? "" : " \"\(connection.from.cardinality)\""
        let head = connection.kind == .oneWay ? "..>" : "--\(connection.to.cascades ? "*" : "")"
        let far = connection.to.cardinality.isEmpty ? "" : " \"\(connection.to.cardinality)\""
        let start = connection.from.cascades ? "*" : ""
        return "\(from)\(near) \(start)\(head)\(far) \(to) : \(label(of: connection))"
    }

    private func label(of connection: Connection) -> String {
        let ends = connection.kind == .relationship ? [connection.from, connection.to] : [connection.from]
        let names = ends.compactMap { end -> String? in
            guard let number = end.row else { return nil }
            let row = content.boxes[end.box].rows[number]
            guard row.kind == .relationship else { return nil }
            let rules = row.marks.filter { $0 != "ordered" }
            return row.name.mermaidEscaped + (rules.isEmpty ? "" : " (\(rules.joined(separator: " ")))")
        }
        return names.joined(separator: " / ")
    }
}
