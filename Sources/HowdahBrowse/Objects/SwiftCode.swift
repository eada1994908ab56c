import HowdahModel

/// Swift code that fetches the objects of a table.
struct SwiftCode {
    let view: ObjectsView

    var text: String {
        var lines = ["var request = FetchRequest<ManagedObject>(entityName: \(Self.literal(view.entity)))"]
        if let filter = view.filter {
            lines.append("request.predicate = .format(\(Self.literal(filter)))")
        }
        if !view.sort.isEmpty {
            let keys = view.sort.map { key in
                key.hasPrefix("-")
                    ? ".key(\(Self.literal(String(key.dropFirst()))), ascending: false)"
                    : ".key(\(Self.literal(key)))"
            }
            lines.append("request.sortDescriptors = [\(keys.joined(separator: ", "))]")
        }
        lines.append("request.fetchLimit = \(view.rows)")
        lines.append("let page = try context.fetchPage(request)")
        return lines.joined(separator: "\n")
    }

    /// Returns a text as a literal of Swift.
    private static func literal(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
