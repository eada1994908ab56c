import HowdahModel
import HowdahRuntime

/// The columns of a table, and those that are read in addition for labels of related objects.
struct ShownColumns: Sendable {
    let names: [String]
    /// The key paths that are read.
    let paths: [String]
    /// Indicates whether labels of related objects are read.
    var hasLabels: Bool { paths.count > names.count }
    /// The position of the label for each column; nil without one.
    private let labels: [Int?]
    /// Indicates for each column whether its values are masked.
    let isSensitive: [Bool]
    /// The class of each column's cells: `number`, `short` or `text`.
    let styles: [HTML]
    /// The attributes of each column's heading from which a script makes the menus of cells.
    let menus: [HTML]

    init(_ names: [String], of entity: String, _ guide: ModelGuide, hasLabels: Bool = true) {
        self.names = names
        isSensitive = names.map { guide.isSensitive($0, of: entity) }
        styles = names.map { Self.style(guide.attribute(at: $0, of: entity)?.type) }
        menus = names.map { Self.menu($0, of: entity, guide) }
        var paths = names
        labels = names.map { name in
            guard hasLabels, let relationship = guide.model.property(named: name, of: entity)?.relationship,
                let label = guide.label(of: relationship.destination)
            else { return nil }
            paths.append("\(name).\(label)")
            return paths.count - 1
        }
        self.paths = paths
    }

    /// Returns the text of the label of a related object in a row; nil if there is none.
    func label(_ column: Int, in row: BrowseRow) -> String? {
        guard let place = labels[column], case .text(let text, _) = row.cells[place] else { return nil }
        // A link needs a text.
        return text.contains { !$0.isWhitespace } ? text : nil
    }

    /// Indicates whether the values of a property can be counted: of attributes with one short value, and of to-ones.
    static func hasValues(_ name: String, of entity: String, _ guide: ModelGuide) -> Bool {
        guard !guide.isSensitive(name, of: entity),
            let property = guide.model.property(named: name, of: entity)
        else { return false }
        if let relationship = property.relationship {
            return !relationship.isToMany && !relationship.isTransient
        }
        return property.attribute.map { $0.isStored && isCompared($0.type) } ?? false
    }

    /// Indicates whether a filter compares values of a type as a whole, and a page shows them as one short text.
    static func isCompared(_ type: AttributeType) -> Bool {
        switch type.kind {
        case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean, .string, .uuid, .uri,
            .date:
            true
        default: false
        }
    }

    /// The key path that a filter compares, and the kind of its literals. Masked values have none.
    private static func menu(_ name: String, of entity: String, _ guide: ModelGuide) -> HTML {
        let path = guide.sortPath(name, of: entity)
        // The object can be missing while its label is not compared.
        let relationship = guide.model.property(named: name, of: entity)?.relationship
        let isObject = relationship != nil
        let inverse: HTML =
            relationship.flatMap { one in
                one.inverse.flatMap { guide.model.property(named: $0, of: one.destination)?.relationship }
            }.map { $0.isToMany ? " data-inverse=\"\($0.name)\"" : "" } ?? ""
        let one: HTML = isObject ? " data-one=\"\(PredicateTree.filterPath(name))\"\(inverse)" : ""
        if isObject, path == name { return one }
        if guide.isSensitive(name, of: entity) || guide.isSensitive(path, of: entity) { return "" }
        let kind: HTML
        switch guide.attribute(at: path, of: entity)?.type.kind {
        case .integer16, .integer32, .integer64, .decimal, .double, .float: kind = "number"
        case .boolean: kind = "boolean"
        case .string, .uuid, .uri: kind = "text"
        case .date: kind = "date"
        default: return ""
        }
        return "\(one) data-path=\"\(PredicateTree.filterPath(path))\" data-kind=\"\(kind)\""
    }

    /// Numbers are at the right, and dates and identifiers are never broken.
    private static func style(_ type: AttributeType?) -> HTML {
        switch type?.kind {
        case .integer16, .integer32, .integer64, .decimal, .double, .float: "number"
        case .date, .uuid, .boolean, .binary: "short"
        default: "text"
        }
    }
}
