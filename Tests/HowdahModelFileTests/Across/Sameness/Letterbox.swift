import Foundation
import Howdah

/// Declared properties of kinds that model files of Xcode have not, and canonical JSON has.
enum Letterboxes {
    static func declared() throws -> ManagedObjectModel { try ManagedObjectModel(Letterbox.self) }

    /// The same as values.
    static func built() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Letterbox",
                properties: [
                    .attribute(
                        "colour", .string, optional: false, default: "yellow",
                        allowedValues: ["yellow", "red"]),
                    .attribute("size", .integer16, allowedValues: [1, 5]),
                    .attribute("tags", .array(of: .string), optional: false, default: .array([])),
                    .attribute("visits", .array(of: .date)),
                ], uniquenessConstraints: [["size"]],
                fetchIndexes: [FetchIndexDescription("byTags", on: "tags", method: .gin)])
        ])
    }
}

enum LetterboxColour: String, AttributeEnum { case yellow, red }
enum LetterboxSize: Int, AttributeEnum { case small = 1, large = 5 }

@Entity(indexes: [FetchIndexDescription("byTags", on: "tags", method: .gin)])
final class Letterbox: ManagedObject {
    var colour: LetterboxColour = .yellow
    @Attribute(.unique) var size: LetterboxSize?
    var tags: [String] = []
    var visits: [Date]?
}
