import Foundation
import HowdahModel
import HowdahSampleData

extension SampleData {
    /// The rules of the model that the plan breaks; written without looking at how the plan is made.
    var brokenRules: [String] {
        var broken: [String] = []
        for index in objects.indices {
            let object = objects[index]
            for (name, value) in values(ofObjectAt: index) {
                guard let attribute = model.property(named: name, of: object.entityName)?.attribute else {
                    continue
                }
                if !isValid(value, attribute) { broken.append("\(object).\(name) is \(value)") }
            }
            for relationship in model.properties(of: object.entityName).compactMap(\.relationship)
            where !relationship.isTransient {
                let members = object.links.first { $0.relationship == relationship.name }?.members ?? []
                broken += brokenRules(relationship, index, members).map {
                    "\(object).\(relationship.name) \($0)"
                }
            }
        }
        for entity in model.entities {
            for constraint in entity.uniquenessConstraints {
                broken += duplicates(constraint, in: entity.name)
            }
        }
        return broken
    }

    private func isValid(_ value: Value, _ attribute: AttributeDescription) -> Bool {
        if value.isNull { return attribute.isOptional || !attribute.isStored }
        if case .composite(let values) = value, let elements = attribute.type.composite?.elements {
            return values.contains { !$0.isNull } && zip(values, elements).allSatisfy { isValid($0, $1) }
        }
        if let minimum = attribute.minimum, minimum.isGreater(than: value) { return false }
        if let maximum = attribute.maximum, value.isGreater(than: maximum) { return false }
        if case .string(let text) = value {
            if text.utf16.count < attribute.minimumLength ?? 0 { return false }
            if text.utf16.count > attribute.maximumLength ?? .max { return false }
            if let regex = attribute.regex, (try? PredicatePattern(regex).matches(text)) != true {
                return false
            }
        }
        return attribute.type.accepts(value)
            && (attribute.allowedValues.isEmpty || attribute.allowedValues.contains(value))
    }

    private func brokenRules(
        _ relationship: RelationshipDescription, _ index: Int, _ members: [Int]
    ) -> [String] {
        var broken: [String] = []
        let destinations = model.descendants(of: relationship.destination).map(\.name)
        for member in members where !destinations.contains(objects[member].entityName) {
            broken.append("leads to \(objects[member])")
        }
        if Set(members).count < members.count { broken.append("has a member twice") }
        let least = relationship.isToMany ? relationship.minCount : relationship.isOptional ? 0 : 1
        let most = relationship.maxCount == 0 ? .max : relationship.maxCount
        if !(least...most).contains(members.count) { broken.append("has \(members.count) members") }
        if let inverse = relationship.inverse {
            for member in members where !(members.isEmpty || leads(member, inverse, back: index)) {
                broken.append("is not the inverse of \(objects[member]).\(inverse)")
            }
        }
        return broken
    }

    private func leads(_ member: Int, _ inverse: String, back index: Int) -> Bool {
        objects[member].links.contains { $0.relationship == inverse && $0.members.contains(index) }
    }

    private func duplicates(_ constraint: [String], in entity: String) -> [String] {
        let names = model.descendants(of: entity).map(\.name)
        var seen: Set<String> = []
        return objects.indices.compactMap { index in
            guard names.contains(objects[index].entityName) else { return nil }
            let values = Dictionary(
                values(ofObjectAt: index).map { ($0.attribute, $0.value) },
                uniquingKeysWith: { first, _ in first })
            var key: [String] = []
            for name in constraint {
                if let value = values[name] {
                    let attribute = model.property(named: name, of: objects[index].entityName)?.attribute
                    guard let leaves = value.compared(attribute) else { return nil }
                    // PostgreSQL takes 0 and -0 for one value.
                    key += leaves.map { $0 == .double(0) || $0 == .float(0) ? "0" : $0.exact }
                } else {
                    guard let link = objects[index].links.first(where: { $0.relationship == name }) else {
                        return nil
                    }
                    key.append("\(link.members)")
                }
            }
            return seen.insert(key.joined(separator: "|")).inserted
                ? nil : "\(objects[index]) is not unique in \(constraint)"
        }
    }
}

extension Value {
    /// What a uniqueness rule compares, by column; nil where a NULL among them exempts the row.
    fileprivate func compared(_ attribute: AttributeDescription?) -> [Value]? {
        if isNull { return nil }
        if case .composite(let values) = self, let elements = attribute?.type.composite?.elements {
            var leaves: [Value] = []
            for (value, element) in zip(values, elements) where element.isStored {
                guard let own = value.compared(element) else { return nil }
                leaves += own
            }
            return leaves
        }
        return [attribute?.isCaseInsensitive ?? false ? folded(.caseInsensitive) : self]
    }

    fileprivate var exact: String {
        switch self {
        case .date(let date): "\(date.timeIntervalSince1970)"
        case .data(let data): data.base64EncodedString()
        case .string(let text): "\(text.unicodeScalars.map(\.value))"
        default: "\(self)"
        }
    }
}
