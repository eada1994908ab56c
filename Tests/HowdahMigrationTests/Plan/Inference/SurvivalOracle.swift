import Foundation
import HowdahModel
import HowdahSchema

/// What a migrated store must hold, by what it held before: every object that has an entity still, every value and
/// link that has a property still.
struct SurvivalOracle {
    let pairing: ModelPairing
    let before: StoreContents
    let after: StoreContents
    /// What a handler changed, which is not for this oracle to say.
    var settled: Settlement.Places = [:]

    private var old: ManagedObjectModel { pairing.old }
    private var new: ManagedObjectModel { pairing.new }

    /// What is not as it must be; empty where all is well.
    func faults() -> [String] {
        var faults: [String] = []
        let survivors = before.objects.compactMapValues { target(of: $0.entity) }
        for key in after.objects.keys.sorted() where survivors[key] == nil && settled[key] == nil {
            faults.append("\(after.objects[key]?.entity ?? "") \(key) came from nowhere")
        }
        for (key, entity) in survivors.sorted(by: { $0.key < $1.key }) {
            guard let past = before.objects[key] else { continue }
            guard let present = after.objects[key], present.entity == entity else {
                faults.append(
                    "\(past.entity) \(key) is \(after.objects[key]?.entity ?? "gone"), not \(entity)")
                continue
            }
            for property in new.properties(of: entity)
            where settled[key]?.contains(property.name) != true {
                let place = "\(entity) \(key).\(property.name)"
                if let attribute = property.attribute {
                    guard let wanted = value(of: attribute, in: entity, past),
                        let given = present.values[attribute.name], !given.isIdentical(to: wanted),
                        !given.isText(of: wanted)
                    else { continue }
                    faults.append("\(place) is \(given), not \(wanted)")
                } else if let relationship = property.relationship,
                    let wanted = members(of: relationship, in: entity, past, survivors),
                    let given = present.links[relationship.name]
                {
                    let isSame =
                        wanted.isOrdered ? given == wanted.keys : given.sorted() == wanted.keys.sorted()
                    if !isSame { faults.append("\(place) is \(given), not \(wanted.keys)") }
                }
            }
        }
        return faults
    }

    private func target(of entity: String) -> String? {
        pairing.target(ofEntity: entity).flatMap { new[$0] }.flatMap { $0.isAbstract ? nil : $0.name }
    }

    /// Nil where it is not for this oracle to say: derived values follow from others.
    private func value(
        of attribute: AttributeDescription, in entity: String, _ past: StoreContents.Object
    ) -> Value? {
        guard attribute.isStored, attribute.derivationExpression == nil else { return nil }
        guard let source = pairing.source(of: attribute.name, in: entity)?.attribute,
            let value = past.values[source.name]
        else { return (attribute.defaultValue ?? .null).normalized }
        if attribute.type.composite != nil { return composite(value, source, attribute) }
        if value.isNull, !attribute.isOptional { return (attribute.defaultValue ?? .null).normalized }
        return widened(value, attribute.type)
    }

    private func composite(
        _ value: Value, _ old: AttributeDescription, _ new: AttributeDescription
    ) -> Value? {
        guard case .composite(let past) = value, let elements = new.type.composite?.elements,
            let earlier = old.type.composite?.elements
        else { return value.isNull && new.isOptional ? .null : nil }
        return .composite(
            elements.map { element in
                let source = earlier.firstIndex {
                    ($0.renamingIdentifier ?? $0.name) == (element.renamingIdentifier ?? element.name)
                        || $0.name == element.renamingIdentifier
                }
                guard let source else { return element.isOptional ? .null : element.defaultValue ?? .null }
                if element.type.composite != nil {
                    return composite(past[source], earlier[source], element) ?? .null
                }
                if past[source].isNull, !element.isOptional { return element.defaultValue ?? .null }
                return widened(past[source], element.type)
            })
    }

    private func widened(_ value: Value, _ type: AttributeType) -> Value {
        switch value {
        case .int(let number) where type == .decimal: .decimal(Decimal(number))
        case .int(let number) where type == .double: .double(Double(number))
        case .float(let number) where type == .double: .double(Double(number))
        case .uri(let url) where type == .string: .string(url.absoluteString)
        case .uuid(let id) where type == .string: .string(id.uuidString)
        case .bool(let flag) where type == .string: .string(flag ? "true" : "false")
        case .bool(let flag) where type == .double: .double(flag ? 1 : 0)
        case .bool(let flag) where type == .float: .float(flag ? 1 : 0)
        case .bool(let flag) where type == .decimal: .decimal(flag ? 1 : 0)
        case .bool(let flag) where [.integer16, .integer32, .integer64].contains(type): .int(flag ? 1 : 0)
        case .int(let number) where type == .string: .string("\(number)")
        case .int(let number) where type == .float: .float(Float(number))
        case .int(let number) where type == .boolean: .bool(number == 1)
        case .decimal(let number) where type == .string: .string("\(number)")
        case .decimal(let number) where type == .double: Double("\(number)").map(Value.double) ?? value
        case .decimal(let number) where [.integer16, .integer32, .integer64].contains(type):
            Int64("\(number)").map(Value.int) ?? value
        case .double(let number) where [.integer16, .integer32, .integer64].contains(type):
            Int64(exactly: number).map(Value.int) ?? value
        case .float(let number) where [.integer16, .integer32, .integer64].contains(type):
            Int64(exactly: number).map(Value.int) ?? value
        case .double(let number) where type == .float: .float(Float(number))
        case .double(let number) where type == .decimal:
            Decimal(string: "\(number)").map(Value.decimal) ?? value
        case .float(let number) where type == .decimal:
            Decimal(string: "\(number)").map(Value.decimal) ?? value
        default: value
        }
    }

    /// Nil where the links have no one source.
    private func members(
        of relationship: RelationshipDescription, in entity: String, _ past: StoreContents.Object,
        _ survivors: [Int64: String]
    ) -> (keys: [Int64], isOrdered: Bool)? {
        guard !relationship.isTransient,
            let source = pairing.source(of: relationship.name, in: entity)?.relationship,
            let keys = past.links[source.name]
        else { return nil }
        if let inverse = relationship.inverse,
            let other = pairing.source(of: inverse, in: relationship.destination),
            source.inverse != other.name
        {
            return nil
        }
        let allowed = Set(new.descendants(of: relationship.destination).map(\.name))
        let staying = keys.filter { key in survivors[key].map(allowed.contains) ?? false }
        return (staying, source.isOrdered && relationship.isOrdered)
    }
}

extension Value {
    /// Indicates whether this is a text of a number or a date, whose digits the server chooses.
    fileprivate func isText(of value: Value) -> Bool {
        guard case .string(let text) = self else { return false }
        switch value {
        case .double(let number): return Double(text) == number || (number.isNaN && text == "NaN")
        case .float(let number): return Float(text) == number || (number.isNaN && text == "NaN")
        case .date(let date):
            let parts = text.dropLast().split(separator: ".")
            guard text.hasSuffix("Z"), parts.count == 2, parts[1].count == 6,
                let seconds = Self.seconds(of: parts[0]), let fraction = Double("0.\(parts[1])")
            else { return false }
            return abs(seconds + fraction - date.timeIntervalSince1970) < 2e-6
        default: return false
        }
    }
    /// The seconds since 1970 of a time such as 1582-10-14T23:59:59, by today's calendar at all times, as the server counts;
    /// Foundation's goes over to another one before 1582-10-15.
    private static func seconds(of text: Substring) -> Double? {
        guard let match = text.wholeMatch(of: /(\d+)-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)/) else { return nil }
        let parts = [match.1, match.2, match.3, match.4, match.5, match.6].compactMap { Int($0) }
        // Years begin in March, so that the day that years do not share is the last one.
        let year = parts[1] > 2 ? parts[0] : parts[0] - 1
        let day = (153 * ((parts[1] + 9) % 12) + 2) / 5 + parts[2] - 1
        let days = 365 * year + year / 4 - year / 100 + year / 400 + day - 719_468
        return Double(((days * 24 + parts[3]) * 60 + parts[4]) * 60 + parts[5])
    }
}
