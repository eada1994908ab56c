import Foundation
import Howdah
import HowdahModel
import SeededRandom

/// An entity with an attribute of every type, arrays of every element, composites, and a destination of
/// several entities; and random rows of it.
enum AnythingModel {
    static let scalars: [AttributeType] = [
        .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date, .binary,
        .uuid,
        .uri,
    ]

    static func model() throws -> ManagedObjectModel {
        var properties: [PropertyDescription] = [
            .attribute("number", .integer64, optional: false),
            .attribute("bytes", .transformable),
            .attribute("json", .transformable, userInfo: [MappingKey.jsonb: "true"]),
            .attribute("box", .composite(Box.compositeDescription), optional: false),
            .attribute("place", .composite(Place.compositeDescription)),
            .attribute("usual", .string, optional: false, default: .string("as ever")),
            .relationship("thing", to: "Thing", inverse: "anythings"),
        ]
        for (number, type) in scalars.enumerated() {
            properties.append(.attribute("s\(number)", type))
            properties.append(.attribute("a\(number)", .array(of: type)))
        }
        return try ManagedObjectModel(entities: [
            EntityDescription("Anything", properties: properties, uniquenessConstraints: [["number"]]),
            EntityDescription(
                "Thing",
                properties: [
                    .relationship("anythings", to: "Anything", inverse: "thing", toMany: true, ordered: true)
                ]),
            EntityDescription("Special", superentity: "Thing", properties: []),
        ])
    }

    /// A row with some of the properties, in one of the forms that rows may have.
    static func row(
        _ number: Int, things: [ObjectID<ManagedObject>], _ random: inout RandomValues
    ) -> [String: (any Sendable)?] {
        var row: [String: (any Sendable)?] = ["number": number]
        for place in scalars.indices where random.generator.chance(60) {
            row["s\(place)"] = random.optional { given(scalars[place], &$0) }
        }
        for place in scalars.indices where random.generator.chance(30) {
            let elements = (0..<random.generator.pick([0, 1, 3])).map { _ in value(scalars[place], &random) }
            row["a\(place)"] = random.optional { _ in Value.array(elements) }
        }
        if random.generator.chance(50) { row["bytes"] = random.optional { $0.data() } }
        if random.generator.chance(50) {
            row["json"] = random.optional { Data("{\"n\": [\($0.integer(Int16.self)), null]}".utf8) }
        }
        switch random.generator.pick([0, 1, 2]) {
        case 0: row["box"] = random.box()
        case 1: row["box"] = random.box()._value
        default:
            row["box.width"] = random.integer(Int32.self)
            row["box.spot.x"] = random.double()
        }
        if random.generator.chance(50) { row["place"] = random.optional { $0.place() } }
        if random.generator.chance(30) { row["usual"] = random.string() }
        if random.generator.chance(50) {
            row["thing"] = things.isEmpty ? nil : random.optional { $0.generator.pick(things) }
        }
        return row
    }

    /// A Swift value of the type, or a generic one.
    private static func given(_ type: AttributeType, _ random: inout RandomValues) -> any Sendable {
        if random.generator.chance(30) { return value(type, &random) }
        return switch type {
        case .integer16: random.integer(Int16.self)
        case .integer32: random.integer(Int32.self)
        case .integer64: random.integer(Int.self)
        case .decimal: random.decimal()
        case .double: random.double()
        case .float: random.float()
        case .string: random.string()
        case .boolean: random.generator.chance(50)
        case .date: random.date()
        case .binary: random.data()
        case .uuid: random.uuid()
        default: random.url()
        }
    }

    private static func value(_ type: AttributeType, _ random: inout RandomValues) -> Value {
        switch type {
        case .integer16: .int(Int64(random.integer(Int16.self)))
        case .integer32: .int(Int64(random.integer(Int32.self)))
        case .integer64: .int(random.integer())
        case .decimal: .decimal(random.decimal())
        case .double: .double(random.double())
        case .float: .float(random.float())
        case .string: .string(random.string())
        case .boolean: .bool(random.generator.chance(50))
        case .date: .date(random.date())
        case .binary: .data(random.data())
        case .uuid: .uuid(random.uuid())
        default: .uri(random.url())
        }
    }
}
