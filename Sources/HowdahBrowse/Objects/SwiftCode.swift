import HowdahGeneration
import HowdahModel
import HowdahRuntime

/// Swift code that fetches the objects of a table.
struct SwiftCode {
    let view: ObjectsView
    let guide: ModelGuide

    /// The code; nil for members of an object by a relationship without an inverse, which no fetch finds.
    var text: String? {
        let members = members
        if view.owner != nil, members == nil { return nil }
        var lines =
            (members.map { [$0.comment] } ?? predicate) + [
                "var request = FetchRequest<ManagedObject>(entityName: \(SwiftLiteral.string(view.entity)))"
            ]
        let dates = view.filter.flatMap { try? FilterDates($0) }
        let filter = dates?.template ?? view.filter
        if let typed = dates?.typed, !typed.isEmpty, members != nil {
            lines.append("// The dates are \(typed.joined(separator: ", ")).")
        }
        let values = (dates?.seconds ?? []).map { ", Date(timeIntervalSinceReferenceDate: \($0))" }
        if let members {
            let format = filter.map { "\(members.condition) AND (\($0))" } ?? members.condition
            lines.append(
                "request.predicate = .format(\(SwiftLiteral.string(format)), owner\(values.joined()))")
        } else if let filter {
            lines.append("request.predicate = .format(\(SwiftLiteral.string(filter))\(values.joined()))")
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

    /// A condition for the members of the view's object, and a comment that names the object.
    private var members: (condition: String, comment: String)? {
        guard let owner = view.owner,
            let relationship = guide.model.property(named: owner.relationshipName, of: owner.entityName)?
                .relationship,
            let inverse = relationship.inverse,
            let back = guide.model.property(named: inverse, of: relationship.destination)?.relationship
        else { return nil }
        return (
            "\(back.isToMany ? "ANY " : "")\(inverse) == %@",
            "// owner is the ObjectID of the object \(owner.key) of \(owner.entityName)."
        )
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
