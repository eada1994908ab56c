import Foundation
import HowdahGeneration
import HowdahModel

/// A filter as Swift code with `#Predicate` over the class of the entity.
///
/// The code reads back as an equal condition. Parts that `#Predicate` cannot have are refused by name.
struct PredicateCode {
    /// A part of a filter that has no form in `#Predicate`.
    struct Unsupported: Error {
        let part: String
    }

    let entity: String
    let guide: ModelGuide
    /// The variables that the closure captures, as declarations.
    private var captured: [String] = []

    init(_ guide: ModelGuide, entity: String) {
        (self.guide, self.entity) = (guide, entity)
    }

    /// Returns the lines of the code.
    ///
    /// - Throws: `Unsupported`.
    static func lines(for tree: PredicateTree, _ guide: ModelGuide, entity: String) throws -> [String] {
        var code = PredicateCode(guide, entity: entity)
        let condition = try code.condition(tree, of: entity)
        // A class is named with its module.
        let qualified = guide.model.entitiesByName[entity]?.className ?? entity
        let name = qualified.split(separator: ".").last.map(String.init) ?? ""
        guard isPlain(name) else { throw Unsupported(part: "the name of the class") }
        return code.captured + ["let predicate = #Predicate<\(name)> { \(condition) }"]
    }

    private mutating func condition(_ tree: PredicateTree, of entity: String) throws -> String {
        switch tree.kind {
        case .compound(.not, let parts):
            return try "!(\(parts.map { try condition($0, of: entity) }.joined()))"
        case .compound(let type, let parts):
            let sides = try parts.map { part in
                let text = try condition(part, of: entity)
                if case .compound(let inner, _) = part.kind, inner != .not { return "(\(text))" }
                return text
            }
            return sides.joined(separator: type == .and ? " && " : " || ")
        case .comparison(let comparison): return try self.comparison(comparison, of: entity)
        default: throw Unsupported(part: "\(tree)")
        }
    }

    private mutating func comparison(
        _ comparison: PredicateTree.Comparison, of entity: String
    ) throws -> String {
        let unsupported = Unsupported(part: "\(comparison)")
        guard comparison.options.isEmpty, case .keyPath(let path) = comparison.left else { throw unsupported }
        if comparison.modifier == .any {
            return try members(path, of: entity, comparison)
        }
        if let text = missing(path, of: entity, comparison) { return text }
        guard comparison.modifier == .direct, let property = try PropertyPath(path, of: entity, guide) else {
            throw unsupported
        }
        let isText = property.kind == .text
        switch (comparison.operator, comparison.right) {
        case (.equal, .constant(.null)), (.notEqual, .constant(.null)):
            guard property.isOptional else { throw unsupported }
            return "\(property.text) \(comparison.operator.rawValue) nil"
        case (.equal, .constant(.bool(let flag))) where property.kind == .flag && !property.isOptional:
            return flag ? property.text : "!\(property.text)"
        case (.equal, .constant(let value)), (.notEqual, .constant(let value)):
            return try
                "\(property.text) \(comparison.operator.rawValue) \(self.value(value, property, unsupported))"
        case (.lessThan, .constant(let value)), (.lessThanOrEqual, .constant(let value)),
            (.greaterThan, .constant(let value)), (.greaterThanOrEqual, .constant(let value)):
            let text = try self.value(value, property, unsupported)
            return "\(property.unwrapped) \(comparison.operator.rawValue) \(text)"
        case (.contains, .constant(.string(let part))) where isText:
            return "\(property.unwrapped).contains(\(SwiftLiteral.string(part)))"
        case (.beginsWith, .constant(.string(let part))) where isText:
            return "\(property.unwrapped).starts(with: \(SwiftLiteral.string(part)))"
        case (.in, .aggregate(let operands)):
            let values = try operands.map { operand in
                guard case .constant(let value) = operand, value != .null else { throw unsupported }
                return try self.value(value, property, unsupported)
            }
            guard let type = property.kind.swiftType, !values.isEmpty else { throw unsupported }
            captured.append(
                "let values\(captured.count + 1): [\(type)] = [\(values.joined(separator: ", "))]")
            return "values\(captured.count).contains(\(property.unwrapped))"
        default: throw unsupported
        }
    }

    /// Returns the comparison of an optional to-one relationship with nil; nil for another one.
    private func missing(
        _ path: String, of entity: String, _ comparison: PredicateTree.Comparison
    ) -> String? {
        guard comparison.modifier == .direct, [.equal, .notEqual].contains(comparison.operator),
            case .constant(.null) = comparison.right, Self.isPlain(path),
            let relationship = guide.model.property(named: path, of: entity)?.relationship,
            !relationship.isToMany, relationship.isOptional
        else { return nil }
        return "$0.\(path) \(comparison.operator.rawValue) nil"
    }

    /// A condition on at least one member of a to-many relationship of the object itself.
    private mutating func members(
        _ path: String, of entity: String, _ comparison: PredicateTree.Comparison
    ) throws -> String {
        let names = path.split(separator: ".", maxSplits: 1).map(String.init)
        guard names.count == 2, Self.isPlain(names[0]),
            let relationship = guide.model.property(named: names[0], of: entity)?.relationship,
            relationship.isToMany
        else { throw Unsupported(part: "\(comparison)") }
        var inner = comparison
        (inner.left, inner.modifier) = (.keyPath(names[1]), .direct)
        let condition = try self.comparison(inner, of: relationship.destination)
        return "$0.\(names[0]).contains { \(condition) }"
    }

    /// Returns a value as code; one without a literal in `#Predicate` becomes a variable.
    private mutating func value(
        _ value: Value, _ property: PropertyPath, _ unsupported: Unsupported
    ) throws -> String {
        switch (value, property.kind) {
        case (.string(let text), .text): return SwiftLiteral.string(text)
        case (.int(let number), .integer), (.int(let number), .decimal), (.int(let number), .double):
            return "\(number)"
        case (.double(let number), .double) where number.isFinite: return "\(number)"
        case (.decimal(let number), .double) where !number.isNaN: return "\(number)"
        case (.decimal, .decimal), (.double, .decimal):
            guard let number = Self.digits(of: value) else { throw unsupported }
            let text = SwiftLiteral.string(number)
            captured.append("let value\(captured.count + 1) = Decimal(string: \(text)) ?? 0")
            return "value\(captured.count)"
        case (.bool(let flag), .flag): return "\(flag)"
        case (.date(let date), .date):
            let comment = date.formatted(.iso8601)
            captured.append("let value\(captured.count + 1) = \(Self.code(of: date))  // \(comment)")
            return "value\(captured.count)"
        default: throw unsupported
        }
    }

    /// Returns a date as code. Dates of a fetch are finite.
    static func code(of date: Date) -> String {
        let seconds = date.timeIntervalSinceReferenceDate
        let number = Int(exactly: seconds).map(String.init) ?? "\(seconds)"
        return "Date(timeIntervalSinceReferenceDate: \(number))"
    }

    /// Returns the digits of a number; nil if it is not finite.
    private static func digits(of value: Value) -> String? {
        switch value {
        case .decimal(let number): number.isNaN ? nil : number.description
        case .double(let number): number.isFinite ? number.description : nil
        default: nil
        }
    }

    /// Indicates whether Swift spells a name as the model does.
    static func isPlain(_ name: String) -> Bool {
        name.wholeMatch(of: /[A-Za-z][A-Za-z0-9_]*/) != nil && !keywords.contains(name)
    }

    /// The keywords that names of properties can be.
    private static let keywords: Set<String> = [
        "as", "break", "case", "catch", "class", "continue", "default", "defer", "do", "else", "enum",
        "extension", "fallthrough", "false", "for", "func", "guard", "if", "import", "in", "init", "inout",
        "internal", "is", "let", "nil", "operator", "private", "protocol", "public", "repeat", "rethrows",
        "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true",
        "try", "typealias", "var", "where", "while", "Any", "Self", "Type", "Protocol", "hash", "hashValue",
    ]
}
