import Foundation
import HowdahModel

/// A model as text for people: an entity after the other, its properties in columns.
struct ModelText {
    private let model: ManagedObjectModel

    init(_ model: ManagedObjectModel) { self.model = model }

    var text: String {
        var sections = model.entities.sorted { $0.name < $1.name }.map(section)
        if !model.configurations.isEmpty {
            let lines = model.configurations.sorted { $0.key < $1.key }.map { name, members in
                "  \(name)  \(members.joined(separator: ", "))".printable
            }
            sections.append((["configurations"] + lines).joined(separator: "\n"))
        }
        if !model.fetchRequestTemplates.isEmpty {
            let lines = model.fetchRequestTemplates.sorted { $0.key < $1.key }.map { name, template in
                "  \(name)  \(description(of: template))".printable
            }
            sections.append((["fetch requests"] + lines).joined(separator: "\n"))
        }
        return sections.isEmpty
            ? "The model has no entities. Add an entity, or check the path and --version."
            : sections.joined(separator: "\n\n")
    }

    private func section(_ entity: EntityDescription) -> String {
        var heading = entity.name
        if let superentity = entity.superentity { heading += " : \(superentity)" }
        let notes = [
            entity.isAbstract ? "abstract" : nil, entity.className.map { "class \($0)" },
            entity.renamingIdentifier.map { "was \($0)" },
        ].compactMap { $0 }
        if !notes.isEmpty { heading += "  (\(notes.joined(separator: ", ")))" }
        var rows: [[String]] = entity.properties.map(row)
        rows += entity.fetchedProperties.map { [$0.name, "fetched", description(of: $0.fetchRequest)] }
        rows += entity.uniquenessConstraints.map { ["unique", $0.joined(separator: ", ")] }
        rows += entity.allFetchIndexes.map { ["index", $0.summary] }
        rows = rows.map { $0.map(\.printable) }
        let widths = (0..<2).map { column in
            rows.map { $0.count > column + 1 ? $0[column].count : 0 }.max() ?? 0
        }
        let lines = rows.map { row in
            "  "
                + row.enumerated().map { column, text in
                    column == row.count - 1
                        ? text : text + String(repeating: " ", count: max(0, widths[column] - text.count))
                }.joined(separator: "  ")
        }
        return ([heading.printable] + lines).joined(separator: "\n")
    }

    private func row(_ property: PropertyDescription) -> [String] {
        if let attribute = property.attribute { return row(attribute) }
        guard let relationship = property.relationship else { return [property.name] }
        var type =
            relationship.destination + (relationship.isToMany ? "*" : relationship.isOptional ? "?" : "")
        if relationship.isOrdered { type = "ordered " + type }
        var notes = [relationship.inverse.map { "inverse \($0)" } ?? "no inverse"]
        if relationship.deleteRule != .nullify { notes.append("delete \(relationship.deleteRule.rawValue)") }
        if relationship.isToMany, relationship.minCount > 0 {
            notes.append(
                (relationship.isOptional ? "none or at least " : "at least ") + "\(relationship.minCount)")
        }
        if relationship.isToMany, relationship.maxCount > 0 {
            notes.append("at most \(relationship.maxCount)")
        }
        if relationship.isTransient { notes.append("transient") }
        if let identifier = relationship.renamingIdentifier { notes.append("was \(identifier)") }
        return [relationship.name, type, notes.joined(separator: ", ")]
    }

    private func row(_ attribute: AttributeDescription) -> [String] {
        let type = (attribute.type.composite?.name ?? attribute.type.name) + (attribute.isOptional ? "?" : "")
        var notes: [String] = []
        if let value = attribute.defaultValue { notes.append("default \(value.summary)") }
        if let expression = attribute.derivationExpression { notes.append("= \(expression)") }
        if let minimum = attribute.minimum { notes.append("min \(minimum.summary)") }
        if let maximum = attribute.maximum { notes.append("max \(maximum.summary)") }
        if let length = attribute.minimumLength { notes.append("length from \(length)") }
        if let length = attribute.maximumLength { notes.append("length to \(length)") }
        if let regex = attribute.regex { notes.append("matches \(regex)") }
        if !attribute.allowedValues.isEmpty {
            notes.append("one of " + attribute.allowedValues.map(\.summary).joined(separator: ", "))
        }
        if attribute.isCaseInsensitive { notes.append("case-insensitive") }
        if attribute.isTransient { notes.append("transient") }
        if attribute.preservesValueInHistoryOnDeletion { notes.append("preserved in history") }
        if let identifier = attribute.renamingIdentifier { notes.append("was \(identifier)") }
        return notes.isEmpty
            ? [attribute.name, type] : [attribute.name, type, notes.joined(separator: ", ")]
    }

    private func description(of template: FetchRequestTemplate) -> String {
        template.entityName + (template.predicateFormat.map { " where \($0)" } ?? "")
    }
}

extension FetchIndexDescription {
    fileprivate var summary: String {
        let list = elements.map(\.summary).joined(separator: ", ")
        let filter = partialIndexPredicate.map { " where \($0)" } ?? ""
        return "\(name)  \(list)\(method == .btree ? "" : " (\(method.name))")\(filter)"
    }
}

extension FetchIndexElement {
    fileprivate var summary: String {
        let text =
            switch subject {
            case .property(let keyPath): keyPath
            case .expression(let sql): "(\(sql))"
            case .folded(let keyPath, let options): "\(keyPath)[\(options.letters)]"
            case .localized(let keyPath, let locale): "\(keyPath) in \(locale)"
            }
        return isAscending ? text : text + " descending"
    }
}

extension Value {
    fileprivate var summary: String {
        switch self {
        case .null: "nil"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .float(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .string(let value): "\"\(value)\""
        case .date(let value): value.formatted(.iso8601)
        case .data(let value): "\(value.count) bytes"
        case .uuid(let value): value.uuidString
        case .uri(let value): value.absoluteString
        case .composite(let values): "(" + values.map(\.summary).joined(separator: ", ") + ")"
        case .array(let values): "[" + values.map(\.summary).joined(separator: ", ") + "]"
        case .reference(let value): "\(value.entity) \(value.key)"
        }
    }
}
