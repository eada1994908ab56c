import Foundation
import HowdahModel
import PQClient

extension JSONValue {
    /// The reason why JSON is not the value of an attribute.
    struct Misfit: Error {
        /// The path of composites' elements and arrays' positions to it, such as `.city` or `[2]`.
        var path = ""
        let message: String
        /// A Boolean value that indicates whether a value is missing.
        var isMissing = false

        func at(_ step: String) -> Misfit {
            Misfit(path: step + path, message: message, isMissing: isMissing)
        }
    }

    /// The message about a name that several members of an object have.
    static let repetitionOfName = "Two members of the object have this name. Remove one of the members."

    /// Returns the value of an attribute in the format of ``GraphJSONWriter``, or in that of other programs.
    func value(of attribute: AttributeDescription) throws(Misfit) -> Value {
        if attribute.isStoredAsJSON { return try document() }
        return try value(ofType: attribute.type)
    }

    private func value(ofType type: AttributeType) throws(Misfit) -> Value {
        if case .null = self { return .null }
        switch type.kind {
        case .integer16: return try integer(Int64(Int16.min), Int64(Int16.max))
        case .integer32: return try integer(Int64(Int32.min), Int64(Int32.max))
        case .integer64: return try integer(.min, .max)
        case .decimal: return .decimal(try decimal())
        case .double: return .double(try floatingPoint())
        case .float: return .float(try floatingPoint())
        case .string: return .string(try string("a string").howdahNormalized)
        case .boolean:
            guard case .bool(let flag) = self else { throw misfit("true or false") }
            return .bool(flag)
        case .date:
            let expected = "an ISO 8601 date and time with a zone, in microseconds at most"
            guard let moment = Timestamp.microseconds(iso8601: try string(expected)) else {
                throw misfit(expected)
            }
            return .date(Timestamp.date(of: moment))
        case .binary, .transformable:
            guard let data = Data(base64Encoded: try string("a string of Base64")) else {
                throw misfit("a string of Base64")
            }
            return .data(data)
        case .uuid:
            guard let uuid = UUID(uuidString: try string("a UUID")) else { throw misfit("a UUID") }
            return .uuid(uuid)
        case .uri:
            guard let url = URL(string: try string("a URL")) else { throw misfit("a URL") }
            return .uri(url.absoluteURL)
        case .undefined: throw Misfit(message: "The attribute is not stored. Leave the attribute out.")
        case .array(let element): return try array(of: element)
        case .composite(let description): return try composite(description)
        }
    }

    private func misfit(_ expected: String) -> Misfit {
        Misfit(message: "The value is \(kindName). Give \(expected).")
    }

    private func string(_ expected: String) throws(Misfit) -> String {
        guard case .string(let text) = self else { throw misfit(expected) }
        guard !text.utf8.contains(0) else {
            throw Misfit(
                message: "The text has U+0000, which PostgreSQL cannot store. Remove that character.")
        }
        return text
    }

    private func integer(_ least: Int64, _ greatest: Int64) throws(Misfit) -> Value {
        guard case .number(let text) = self, let number = Int64(text), (least...greatest).contains(number)
        else { throw misfit("a whole number from \(least) to \(greatest), without point and exponent") }
        return .int(number)
    }

    /// Returns a decimal, also from a text, because programs in JavaScript would round numbers.
    private func decimal() throws(Misfit) -> Decimal {
        let spelling: String
        switch self {
        case .string("NaN"): return .nan
        case .string(let text):
            guard case .number? = try? JSONValueReader.read(Array(text.utf8), maximumDepth: 1) else {
                throw misfit("a number")
            }
            spelling = text
        case .number(let text): spelling = text
        default: throw misfit("a number")
        }
        let digits = spelling.prefix { $0 != "e" && $0 != "E" }.filter(\.isNumber).drop { $0 == "0" }
        let significant = digits.reversed().drop { $0 == "0" }.count
        guard significant <= 38 else {
            throw Misfit(message: "The number has more than 38 digits. Round the number.")
        }
        guard let number = Decimal(string: spelling, locale: nil), !number.isNaN,
            number.isZero == (significant == 0)
        else {
            throw Misfit(message: "The exponent of the number is out of range. Give another number.")
        }
        return number
    }

    private func floatingPoint<T: BinaryFloatingPoint & LosslessStringConvertible>() throws(Misfit) -> T {
        switch self {
        case .string("NaN"): return .nan
        case .string("Infinity"): return .infinity
        case .string("-Infinity"): return -.infinity
        case .number(let text):
            guard let number = T(text), number.isFinite else {
                throw Misfit(message: "The number is too large for its attribute. Give a smaller number.")
            }
            return number
        default: throw misfit("a number")
        }
    }

    private func array(of element: AttributeType) throws(Misfit) -> Value {
        guard case .array(let elements) = self else { throw misfit("an array") }
        var values: [Value] = []
        values.reserveCapacity(elements.count)
        for (place, json) in elements.enumerated() {
            let value: Value
            do throws(Misfit) { value = try json.value(ofType: element) } catch {
                throw error.at("[\(place)]")
            }
            guard !value.isNull else {
                throw Misfit(path: "[\(place)]", message: "Arrays cannot hold null. Leave the null out.")
            }
            values.append(value)
        }
        return .array(values)
    }

    private func composite(_ description: CompositeDescription) throws(Misfit) -> Value {
        guard case .object(let members) = self else { throw misfit("an object") }
        if let name = repeatedName { throw Misfit(path: ".\(name)", message: Self.repetitionOfName) }
        var values = Array(repeating: Value.null, count: description.elements.count)
        for member in members {
            guard let place = description.elements.firstIndex(where: { $0.name == member.name }) else {
                throw Misfit(
                    path: ".\(member.name)",
                    message: "The composite has no such element. Leave the element out, or correct the name.")
            }
            guard description.elements[place].isStored else {
                throw Misfit(
                    path: ".\(member.name)", message: "The element is not stored. Leave the element out.")
            }
            do throws(Misfit) {
                values[place] = try member.value.value(of: description.elements[place])
            } catch {
                throw error.at(".\(member.name)")
            }
        }
        return .composite(values)
    }

    private func document() throws(Misfit) -> Value {
        switch self {
        case .null: return .null
        case .object(let members) where members.count == 1 && members[0].name == Self.documentName:
            return .data(Data(members[0].value.stored.canonical))
        default: return .data(Data(stored.canonical))
        }
    }

    /// The value with numbers as `jsonb` formats them, without exponents or a negative zero.
    private var stored: JSONValue {
        switch self {
        case .number(let text) where text.contains { $0 == "e" || $0 == "E" }:
            Decimal(string: text, locale: nil).map { .number($0.description) } ?? self
        case .number(let text) where text.first == "-" && !text.contains { ("1"..."9").contains($0) }:
            .number(String(text.dropFirst()))
        case .array(let elements): .array(elements.map(\.stored))
        case .object(let members): .object(members.map { Member(name: $0.name, value: $0.value.stored) })
        default: self
        }
    }
}
