internal import Foundation
public import HowdahModel

/// A random object graph that fits a model, decided before anything is written: which objects there are, their
/// values and their links.
///
/// The same model, seed and count give the same graph on every machine. It keeps the model's rules: required
/// properties, bounds, lengths, patterns, uniqueness, counts of relationships. Values are edges in every second object,
/// such as the greatest integer, a text of combining marks or 100 kB of bytes, and ordinary ones otherwise.
///
/// A plan holds the objects and links; values are made when they are asked for, so that a million objects need
/// no room for their values.
public struct SampleData: Sendable {
    /// What the graph fits.
    public let model: ManagedObjectModel
    /// What the graph follows from.
    public let seed: UInt64
    /// How many objects of each entity were asked for.
    public let countPerEntity: Int
    /// The objects; all entities' first ones, then their second ones, and so on.
    public let objects: [Object]
    /// What the model's rules made smaller than asked for, or left out; empty where everything is there.
    public let gaps: [Gap]

    let entities: [String: EntitySampler]
    /// The values that were chosen to differ, by the object's index.
    private let uniqueValues: [[String: Value]]

    /// Decides a graph of `countPerEntity` objects of each entity that is not abstract, or as many as the rules allow.
    ///
    /// Pure and without a database. Where rules ask for fewer objects it decides anew with fewer, until all of them hold.
    public init(model: ManagedObjectModel, seed: UInt64 = 0, countPerEntity: Int = 10) {
        precondition(countPerEntity >= 0, "countPerEntity is \(countPerEntity). Set it to 0 or more.")
        self.model = model
        self.seed = seed
        self.countPerEntity = countPerEntity
        var planner = GraphPlanner(model: model, seed: seed, count: countPerEntity)
        planner.run()
        entities = planner.entities
        objects = planner.objects
        gaps = planner.gaps
        uniqueValues = planner.uniqueValues
    }

    /// The values of the object at `index` in ``objects``, as they will be read back; in the order of the model.
    ///
    /// Attributes that are derived, transient or of type undefined are left out.
    public func values(ofObjectAt index: Int) -> [(attribute: String, value: Value)] {
        let object = objects[index]
        let chosen = uniqueValues[index]
        return (entities[object.entityName]?.attributes ?? []).map { sampler in
            let name = sampler.attribute.name
            return (name, chosen[name] ?? sampler.value(object.number, seed: seed))
        }
    }

    /// How many objects of each entity that is not abstract, in the order of the names.
    public var counts: [(entityName: String, count: Int)] {
        var counts: [String: Int] = [:]
        for object in objects { counts[object.entityName, default: 0] += 1 }
        return entities.keys.sorted().map { ($0, counts[$0] ?? 0) }
    }
}

extension SampleData: CustomStringConvertible {
    /// One line for each object: its values and its links.
    public var description: String {
        objects.indices.map { index in
            let object = objects[index]
            let values = values(ofObjectAt: index).map { "\($0.attribute): \($0.value.summary)" }
            let links = object.links.map { link in
                "\(link.relationship) → " + link.members.map { "\(objects[$0])" }.joined(separator: " ")
            }
            return (["\(object)"] + values + links).joined(separator: "; ")
        }.joined(separator: "\n")
    }
}

extension Value {
    /// The value on one line, exact unless it is long.
    fileprivate var summary: String {
        switch self {
        case .null: "nil"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .float(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .string(let value):
            value.utf16.count > 80
                ? "\(value.utf16.count) units"
                : "\"" + value.unicodeScalars.map { $0.escaped(asASCII: true) }.joined() + "\""
        case .date(let value): "\(value.timeIntervalSince1970) s"
        case .data(let value): "\(value.count) bytes \(value.prefix(8).map { String($0, radix: 16) })"
        case .uuid(let value): "\(value)"
        case .uri(let value): value.absoluteString
        case .composite(let values): "(" + values.map(\.summary).joined(separator: ", ") + ")"
        case .array(let values): "[" + values.map(\.summary).joined(separator: ", ") + "]"
        case .reference(let value): "\(value)"
        }
    }
}
