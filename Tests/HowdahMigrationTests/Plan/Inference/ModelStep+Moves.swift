import HowdahModel
import TestSupport

extension ModelStep {
    private static let name = PropertyDescription.attribute("name", .string)

    /// Top has the sub-entities A and B.
    private static func pair(
        _ top: [PropertyDescription], _ a: [PropertyDescription] = [], _ b: [PropertyDescription] = [],
        abstract: Bool = true, unique: [[String]] = []
    ) -> [EntityDescription] {
        [
            entity("Top", [name] + top, abstract: abstract, unique: top.isEmpty ? [] : unique),
            entity("A", [.attribute("x", .date)] + a, super: "Top", unique: a.isEmpty ? [] : unique),
            entity("B", b, super: "Top", unique: b.isEmpty ? [] : unique),
        ]
    }

    /// Attributes that change their types while they move to sub-entities.
    static let moves: [ModelStep] = [
        ModelStep(
            "moved down with two types", pair([.attribute("w", .integer32)]),
            pair([], [.attribute("w", .integer64)], [.attribute("w", .string)])),
        ModelStep(
            "moved down, one with another type", pair([.attribute("w", .integer32)]),
            pair([], [.attribute("w", .double)], [.attribute("w", .integer32)])),
        ModelStep(
            "moved down with one other type", pair([.attribute("w", .uuid, optional: false)]),
            pair([], [.attribute("w", .string)], [.attribute("w", .string, optional: false)])),
        ModelStep(
            "required, moved down with two types", pair([.attribute("w", .boolean, optional: false)]),
            pair(
                [], [.attribute("w", .integer16, optional: false)],
                [.attribute("w", .string, optional: false)])),
        ModelStep(
            "moved down with a new type to one",
            pair([.attribute("w", .integer16, optional: false)], abstract: false),
            pair([], [.attribute("w", .integer64, optional: false)], abstract: false)),
        ModelStep(
            "unique, moved down with two types",
            pair([.attribute("w", .uuid, optional: false)], unique: [["w"]]),
            pair(
                [], [.attribute("w", .string, optional: false)], [.attribute("w", .uuid, optional: false)],
                unique: [["w"]])),
        ModelStep(
            "moved down with two types and derived",
            pair([
                .attribute("w", .uri), .attribute("low", .string, derivation: "lowercase:(name)"),
            ]),
            pair(
                [],
                [.attribute("w", .string), .attribute("up", .string, derivation: "uppercase:(w)")],
                [.attribute("w", .uri), .attribute("low", .string, derivation: "lowercase:(name)")])),
        ModelStep(
            "moved down with two types and renamed", pair([.attribute("w", .float)]),
            pair(
                [], [.attribute("v", .double, renamingIdentifier: "w")],
                [.attribute("u", .string, renamingIdentifier: "w")])),
    ]
}
