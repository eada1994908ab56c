import HowdahGeneration
import HowdahModel

/// Swift code that fetches the objects of a table.
struct SwiftCode {
    let view: ObjectsView
    let guide: ModelGuide

    var text: String {
        var lines =
            predicate + [
                "var request = FetchRequest<ManagedObject>(entityName: \(SwiftLiteral.string(view.entity)))"
            ]
        if let filter = view.filter {
            let dates = try? FilterDates(filter)
            let values = (dates?.seconds ?? []).map { ", Date(timeIntervalSinceReferenceDate: \($0))" }
            let format = SwiftLiteral.string(dates?.template ?? filter)
            lines.append("request.predicate = .format(\(format)\(values.joined()))")
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

    /// The filter with `#Predicate`, or a comment that names the part without a form in it.
    private var predicate: [String] {
        guard let filter = view.filter, let tree = try? PredicateTree(filter: filter) else { return [] }
        do {
            let lines = try PredicateCode.lines(for: tree, guide, entity: view.entity)
            let fetch = "let objects = try context.fetch(FetchRequest(where: predicate))"
            return ["// With the class of the entity:"] + lines + [fetch, "", "// Without it, page by page:"]
        } catch {
            let part = (error as? PredicateCode.Unsupported)?.part ?? filter
            return ["// #Predicate has no form of: \(SwiftLiteral.string(part))", ""]
        }
    }
}
