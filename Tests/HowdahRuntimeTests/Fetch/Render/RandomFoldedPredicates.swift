import Foundation
import Howdah
import HowdahModel
import TestSupport

/// Objects with texts that are equal in many ways, and random predicates over them with every operator on strings.
struct RandomFoldedPredicates {
    var random: SeededGenerator

    private typealias Node = PredicateTree.Node

    static let pieces = [
        "a", "A", "ä", "Ä", "a\u{308}", "ß", "SS", "ss", "ẞ", "s", "İ", "i", "I", "ı", "i\u{307}", "Σ", "σ",
        "ς", "é",
        "E\u{301}", "\u{301}", "ø", "Ø", "Æ", "ae", "👩🏽‍🚀", "👩", "Ａ", "ａ", "%", "_", "\\", "*", "?", "ǰ",
        "J\u{30C}",
        "ﬁ", "fi", "\u{212A}", "k", "Ω", "\u{2126}", "각", "か\u{3099}", "\n", " ", "ſ", "ǅ",
    ]
    static let patterns = [
        ".*", ".", "", "[a-c]+", "[A-C].*", "ß|SS", "(?:ss|a)*", "\\d*", "\\D", "É", "[^a]", "σ{1,2}",
        "\\*.?",
        "[ä-ö]", "i+",
    ]

    static func model() throws -> ManagedObjectModel {
        let name = AttributeType.composite(
            CompositeDescription(
                "Name",
                [
                    AttributeDescription("first", .string, caseInsensitive: true),
                    AttributeDescription("last", .string),
                ]))
        return try ManagedObjectModel(entities: [
            EntityDescription(
                "Word",
                properties: [
                    .attribute("plain", .string), .attribute("loose", .string, caseInsensitive: true),
                    .attribute("other", .string, caseInsensitive: true, maximumLength: 100),
                    .attribute("link", .uri), .attribute("tags", .array(of: .string)),
                    .attribute("name", name),
                    .attribute("json", .transformable, userInfo: [MappingKey.jsonb: "true"]),
                    .relationship("parent", to: "Word", inverse: "parts"),
                    .relationship("parts", to: "Word", inverse: "parent", toMany: true),
                ],
                fetchIndexes: [
                    FetchIndexDescription("loose", on: "loose"), FetchIndexDescription("other", on: "other"),
                    FetchIndexDescription("plain", on: "plain"),
                ])
        ])
    }

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func text() -> String {
        (0..<random.pick([0, 1, 1, 1, 2, 2, 3])).map { _ in random.pick(Self.pieces) }.joined()
            .precomposedStringWithCanonicalMapping
    }

    mutating func words(_ count: Int, in context: ManagedObjectContext) throws -> [ManagedObject] {
        let words = try (0..<count).map { _ in
            let word = context.insert("Word")
            for name in ["plain", "loose", "other"] where random.chance(80) { word[name] = text() }
            if random.chance(70) { word["link"] = link() }
            if random.chance(70) { word["tags"] = (0..<random.pick([0, 1, 2])).map { _ in text() } }
            if random.chance(70) {
                let object: [String: String] = random.chance(80) ? ["w": text()] : [:]
                word["json"] = try JSONEncoder().encode(object)
            }
            if random.chance(70) {
                word.setValue(random.chance(80) ? text() : nil, forKey: "name.first")
                word.setValue(random.chance(80) ? text() : nil, forKey: "name.last")
            }
            return word
        }
        for word in words where random.chance(60) { word["parent"] = random.pick(words) }
        return words
    }

    private mutating func link() -> URL? { URL(string: "x:" + random.pick(["a", "A", "b", "%C3%A4"])) }

    mutating func tree() -> PredicateTree { PredicateTree(node(depth: random.pick([0, 0, 1, 1, 2]))) }

    private mutating func node(depth: Int) -> Node {
        guard depth > 0 else { return comparison() }
        let members = (0..<random.pick([1, 2, 3])).map { _ in node(depth: depth - 1) }
        return switch random.pick([0, 1, 2]) {
        case 0: .and(members)
        case 1: .or(members)
        default: .not(members[0])
        }
    }

    private mutating func comparison() -> Node {
        let options: PredicateTree.Options = random.pick([
            [], [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
            .normalized, [.caseInsensitive, .normalized],
        ])
        let (path, modifier) = path()
        if path == ["tags"], modifier == .direct { return array(options) }
        if path == ["json", "w"] || path == ["link"] { return simple(path, options) }
        let op = random.pick(
            [
                .equal, .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual,
                .between, .in,
                .in, .contains, .beginsWith, .endsWith, .like, .matches,
            ] as [PredicateTree.Operator])
        let right: PredicateTree.Expression
        switch op {
        case .matches:
            let parts = (0..<random.pick([1, 1, 2])).map { _ in random.pick(Self.patterns) }
            right = .constant(.string(parts.joined()))
        case .between: right = .collection([value(), value()])
        case .in where random.chance(70):
            right = .collection((0..<random.pick([0, 1, 2, 12])).map { _ in value() })
        case .in where modifier == .direct && random.chance(30): right = .keyPath(["tags"])
        case .equal, .notEqual, .lessThan, .greaterThanOrEqual, .contains, .beginsWith, .like:
            right =
                modifier == .direct && random.chance(30)
                ? .keyPath(random.pick([["plain"], ["loose"], ["name", "first"], ["parent", "other"]]))
                : .constant(value())
        default: right = .constant(value())
        }
        return .comparison(lhs: .keyPath(path), op: op, rhs: right, options: options, modifier: modifier)
    }

    private mutating func path() -> (path: [String], modifier: PredicateTree.Modifier) {
        let leaf = random.pick([
            ["plain"], ["loose"], ["loose"], ["other"], ["name", "first"], ["name", "last"], ["tags"],
            ["json", "w"], ["link"],
        ])
        if leaf == ["json", "w"] || leaf == ["link"] { return (leaf, .direct) }
        let quantifier = random.pick([.any, .all, .none] as [PredicateTree.Modifier])
        switch random.pick([0, 0, 0, 1, 2]) {
        case 1 where leaf != ["tags"]: return (["parent"] + leaf, .direct)
        case 2: return (["parts"] + leaf, quantifier)
        default: return (leaf, leaf == ["tags"] && random.chance(60) ? quantifier : .direct)
        }
    }

    /// What can be asked of an array as a whole.
    private mutating func array(_ options: PredicateTree.Options) -> Node {
        let tags = PredicateTree.Expression.keyPath(["tags"])
        let texts = (0..<random.pick([0, 1, 2])).map { _ in Value.string(text()) }
        return switch random.pick([0, 1, 2, 3]) {
        case 0: .comparison(lhs: tags, op: .contains, rhs: .constant(value()), options: options)
        case 1:
            .comparison(
                lhs: tags, op: .contains, rhs: .keyPath(random.pick([["plain"], ["loose"]])), options: options
            )
        case 2: .comparison(lhs: .constant(value()), op: .in, rhs: tags, options: options)
        default:
            .comparison(
                lhs: tags, op: random.pick([.equal, .notEqual]), rhs: .constant(.array(texts)),
                options: options)
        }
    }

    /// JSON and URLs, which fewer operators take.
    private mutating func simple(_ path: [String], _ options: PredicateTree.Options) -> Node {
        let isLink = path == ["link"]
        let wanted = isLink ? link().map(Value.uri) ?? .null : value()
        let op = random.pick(
            [.equal, .notEqual, .in] + (isLink ? [] : [.lessThan, .contains, .like, .beginsWith])
                as [PredicateTree.Operator])
        let right: PredicateTree.Expression =
            op == .in ? .collection([wanted, isLink ? .string("x:A") : value()]) : .constant(wanted)
        return .comparison(lhs: .keyPath(path), op: op, rhs: right, options: options)
    }

    private mutating func value() -> Value { random.chance(8) ? .null : .string(text()) }
}
