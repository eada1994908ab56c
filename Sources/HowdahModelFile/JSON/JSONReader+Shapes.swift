import Foundation
import HowdahModel

extension JSONReader {
    /// Compares what is there with what a model has there.
    mutating func check(_ node: JSONNode, _ shape: JSONShape, _ place: String) {
        switch (shape, node.content) {
        case (.text, .string), (.flag, .boolean): return
        case (.integer, .number(let text)):
            if Int64(text) == nil {
                fault(node, place, "\(text) is not a 64-bit integer. Use an integer of at most 64 bits.")
            }
        case (.word(let words, let what), .string(let text)):
            if !words.contains(text) {
                fault(node, place, "\"\(text)\" is not a valid \(what). Use one of \(words.sorted().list).")
            }
        case (.list(let shape), .array(let elements)):
            for (position, element) in elements.enumerated() {
                check(element, shape, "\(place)[\(position)]")
            }
        case (.map(let shape), .object(let members)):
            checkRepetitions(in: members, place)
            for member in members { check(member.value, shape, place.joined(member.key)) }
        case (.object(let keys), .object(let members)): check(node, members, keys, place)
        case (.choice(let shapes, let what), .object(let members)):
            check(node, members, shapes, what, place)
        case (.type, _): checkType(node, place)
        case (.nestedValue, _): check(node, .value, place)
        case (.element, _): check(node, .attribute, place)
        default:
            fault(node, place, "Expected \(shape.name), but found \(node.kind). Correct the value.")
        }
    }

    private mutating func check(
        _ node: JSONNode, _ members: [JSONNode.Member], _ keys: [String: JSONShape.Key], _ place: String
    ) {
        checkRepetitions(in: members, place)
        for member in members {
            guard let key = keys[member.key] else {
                warn(
                    member.line, place,
                    "The key \"\(member.key)\" is unknown and has no effect. Correct the name, or remove the key."
                )
                continue
            }
            // What is null is as if it were not there.
            if case .null = member.value.content, !key.isRequired { continue }
            check(member.value, key.shape, place.joined(member.key))
        }
        for (name, key) in keys.sorted(by: { $0.key < $1.key })
        where key.isRequired && !members.contains(where: { $0.key == name }) {
            fault(node, place, "The key \"\(name)\" is missing. Add the key.")
        }
    }

    private mutating func check(
        _ node: JSONNode, _ members: [JSONNode.Member], _ shapes: [String: JSONShape], _ what: String,
        _ place: String
    ) {
        checkRepetitions(in: members, place)
        let known = members.filter { shapes[$0.key] != nil }
        for member in members where shapes[member.key] == nil {
            warn(
                member.line, place,
                "The key \"\(member.key)\" is unknown and has no effect. Correct the name, or remove the key."
            )
        }
        guard Set(known.map(\.key)).count == 1, let member = known.first, let shape = shapes[member.key]
        else {
            return fault(
                node, place,
                "Expected exactly one key for \(what). Use one of \(shapes.keys.sorted().list).")
        }
        check(member.value, shape, place.joined(member.key))
        if case .string(let text) = member.value.content { checkText(text, member, place) }
    }

    /// Values of many types are text; decoding stops at the first that is none of its type, and takes a number that
    /// is too large for infinity.
    private mutating func checkText(_ text: String, _ member: JSONNode.Member, _ place: String) {
        let value: Value
        do {
            value = try JSONDecoder().decode(Value.self, from: JSONEncoder().encode([member.key: text]))
        } catch let DecodingError.dataCorrupted(context) {
            return fault(member.value, place.joined(member.key), context.debugDescription)
        } catch {
            // Not a text: told with the shapes.
            return
        }
        let isInfinite =
            switch value {
            case .double(let number): number.isInfinite
            case .float(let number): number.isInfinite
            case .date(let date): date.timeIntervalSinceReferenceDate.isInfinite
            default: false
            }
        guard isInfinite, !text.lowercased().contains("inf") else { return }
        fault(
            member.value, place.joined(member.key),
            "\(text) is too large for this type. Use a number that the type can hold.")
    }

    private mutating func checkType(_ node: JSONNode, _ place: String) {
        switch node.content {
        case .string:
            check(node, .word(AttributeType.simpleNames, "attribute type"), place)
        case .object:
            check(node, .choice(["composite": .composite, "array": .type], "a composite or an array"), place)
        default:
            fault(
                node, place,
                "Expected an attribute type, but found \(node.kind). Give a name such as \"string\", or a composite or array."
            )
        }
    }

    private mutating func checkRepetitions(in members: [JSONNode.Member], _ place: String) {
        var lines: [String: Int] = [:]
        for member in members {
            if let first = lines[member.key] {
                fault(
                    line: member.line, place,
                    "The key \"\(member.key)\" is already on line \(first). Remove one of the two.")
            } else {
                lines[member.key] = member.line
            }
        }
    }
}

extension String {
    fileprivate func joined(_ key: String) -> String { isEmpty ? key : "\(self).\(key)" }

    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension [String] {
    fileprivate var list: String { joined(separator: ", ") }
}
