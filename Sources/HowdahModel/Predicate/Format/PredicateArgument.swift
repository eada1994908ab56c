import Foundation

/// A type whose values can be arguments of a predicate, beside those of ``Value/init(predicateArgument:)``.
package protocol PredicateArgument {
    /// The value for comparisons.
    var predicateValue: Value { get }
}

extension ObjectID: PredicateArgument {
    /// The row, without its store.
    package var predicateValue: Value { .reference(ObjectReference(key: key, entity: entityName)) }
}

/// A type that recognises nil behind any number of optional and existential wrappers.
private protocol Nullable {
    var isNil: Bool { get }
}

extension Optional: Nullable {
    fileprivate var isNil: Bool {
        guard let self else { return true }
        return (self as? any Nullable)?.isNil ?? false
    }
}

extension Value {
    /// Creates the normalised value of a Swift value; nil if a predicate cannot compare with it.
    package init?(predicateArgument argument: Any?) {
        guard let argument else {
            self = .null
            return
        }
        if let value = Value(common: argument) {
            self = value
            return
        }
        switch argument {
        case let optional as any Nullable where optional.isNil: self = .null
        case is NSNull: self = .null
        case let string as String: self = .string(string.howdahNormalized)
        case let string as any StringProtocol: self = .string(String(string).howdahNormalized)
        case let bool as Bool: self = .bool(bool)
        case let integer as any BinaryInteger: self.init(integer)
        case let double as Double: self = .double(double)
        case let float as Float: self = .float(float)
        case let number as CGFloat: self = .double(Double(number))
        case let decimal as Decimal: self = .decimal(decimal)
        case let date as Date: self = .date(date.howdahRoundedToMicroseconds)
        case let uuid as UUID: self = .uuid(uuid)
        case let data as Data: self = .data(data)
        case let url as URL: self = .uri(url.absoluteURL)
        case .composite as Value: return nil
        case let value as Value: self = value.normalized
        case let wrapper as any RawRepresentable: self.init(predicateArgument: wrapper.rawValue)
        default: return nil
        }
    }

    /// Creates the value of one of the commonest types, which conformances would find far more slowly; nil
    /// for others.
    init?(common argument: Any?) {
        guard let argument else { return nil }
        let type = type(of: argument)
        if type == String.self, let string = argument as? String {
            self = .string(string.howdahNormalized)
        } else if type == Int.self, let integer = argument as? Int {
            self = .int(Int64(integer))
        } else if type == Double.self, let double = argument as? Double {
            self = .double(double)
        } else if type == Date.self, let date = argument as? Date {
            self = .date(date.howdahRoundedToMicroseconds)
        } else if type == Bool.self, let bool = argument as? Bool {
            self = .bool(bool)
        } else if let object = argument as? any PredicateArgument {
            self = object.predicateValue
        } else {
            return nil
        }
    }

    private init?(_ integer: some BinaryInteger) {
        if let small = Int64(exactly: integer) {
            self = .int(small)
        } else if let large = UInt64(exactly: integer) {
            self = .decimal(Decimal(large))
        } else {
            return nil
        }
    }
}

extension PredicateTree.Expression {
    /// Creates the constant or collection of a Swift value; nil if a predicate cannot compare with it.
    init?(argument: Any?) {
        if let value = Value(common: argument) {
            self = .constant(value)
            return
        }
        switch argument {
        case let slot as PredicateTemplate.Slot: self = slot.expression
        case let open as OpenPredicateArgument: self = .variable(open.name)
        case let integers as [Int]: self = .collection(integers.map { .int(Int64($0)) })
        case let strings as [String]: self = .collection(strings.map { .string($0.howdahNormalized) })
        case is any StringProtocol, is Data:
            guard let value = Value(predicateArgument: argument) else { return nil }
            self = .constant(value)
        case let members as any Collection where !(members is any DictionaryArgument):
            self.init(members: members)
        default:
            guard let value = Value(predicateArgument: argument) else { return nil }
            self = .constant(value)
        }
    }

    private init?(members: some Collection) {
        var values: [Value] = []
        values.reserveCapacity(members.count)
        for member in members {
            guard let value = Value(predicateArgument: member) else { return nil }
            values.append(value)
        }
        self = .collection(values)
    }
}

/// A dictionary: its members are pairs, and predicates do not compare with those.
private protocol DictionaryArgument {}
extension Dictionary: DictionaryArgument {}
