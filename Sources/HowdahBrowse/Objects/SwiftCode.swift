import HowdahGeneration
import HowdahModel

/// Swift code that fetches the objects of a table.
struct SwiftCode {
    let view: ObjectsView

    var text: String {
        var lines = [
            "var request = FetchRequest<ManagedObject>(entityName: \(SwiftLiteral.string(view.entity)))"
        ]
        if let filter = view.filter {
            lines.append("request.predicate = .format(\(SwiftLiteral.string(filter)))")
        }
        if !view.sort.isEmpty {
            let keys = view.sort.map { key in
                key.hasPrefix("-")
                    ? ".key(\(SwiftLiteral.string(String(key.dropFirst()))), ascending: false)"
                    : ".key(\(SwiftLiteral.string(key)))"
            }
            lines.append("request.sortDescriptors = [\(keys.joined(separator: ", "))]")
        }
        lines.append("request.fetchLimit = \(view.rows)")
        lines.append("let page = try context.fetchPage(request)")
        return lines.joined(separator: "\n")
    }
}
