import Foundation
import HowdahModel
import TestSupport

extension ModelStep {
    private static func thing(_ properties: PropertyDescription...) -> [EntityDescription] {
        [entity("Thing", [.attribute("number", .integer32)] + properties)]
    }

    private static let place = CompositeDescription(
        "Place", [.init("x", .integer16, optional: false), .init("y", .double)])

    private static func deep(_ names: [String], optional: Bool = true) -> AttributeType {
        .composite(
            CompositeDescription(
                "Deep",
                [
                    .init("inner", .composite(place), optional: optional),
                    .init(names[0], .string, renamingIdentifier: "label"),
                ]))
    }

    static let attributes: [ModelStep] = [
        ModelStep("optional attribute added", thing(), thing(.attribute("name", .string))),
        ModelStep(
            "attribute with default added", thing(), thing(.attribute("name", .string, default: "new"))),
        ModelStep(
            "required attribute with default added", thing(),
            thing(.attribute("count", .integer64, optional: false, default: 7, minimum: 1))),
        ModelStep("attribute removed", thing(.attribute("name", .string)), thing()),
        ModelStep(
            "attribute renamed", thing(.attribute("name", .string, maximumLength: 50)),
            thing(.attribute("title", .string, maximumLength: 50, renamingIdentifier: "name"))),
        ModelStep(
            "identifier carried on", thing(.attribute("title", .string, renamingIdentifier: "name")),
            thing(.attribute("label", .string, renamingIdentifier: "name"))),
        ModelStep(
            "attributes swapped", thing(.attribute("a", .string), .attribute("b", .string)),
            thing(
                .attribute("a", .string, renamingIdentifier: "b"),
                .attribute("b", .string, renamingIdentifier: "a"))),
        ModelStep(
            "required to optional", thing(.attribute("name", .string, optional: false, default: "")),
            thing(.attribute("name", .string))),
        ModelStep(
            "optional to required with default", thing(.attribute("name", .string)),
            thing(.attribute("name", .string, optional: false, default: "none"))),
        ModelStep(
            "defaults", thing(.attribute("a", .integer32, default: 1), .attribute("b", .date)),
            thing(
                .attribute("a", .integer32),
                .attribute("b", .date, default: .date(.init(timeIntervalSince1970: 0))))),
        ModelStep(
            "widened",
            thing(
                .attribute("a", .integer16, default: 1, minimum: 0), .attribute("b", .integer32),
                .attribute("c", .float, default: 0.5),
                .attribute("d", .boolean, optional: false, default: true), .attribute("e", .integer16),
                .attribute("f", .integer64, minimum: -5), .attribute("g", .uri)),
            thing(
                .attribute("a", .integer32, default: 1, minimum: 0), .attribute("b", .double),
                .attribute("c", .double, default: 0.5),
                .attribute("d", .integer16, optional: false, default: 1),
                .attribute("e", .decimal), .attribute("f", .decimal, minimum: -5), .attribute("g", .string))),
        ModelStep(
            "widened and renamed", thing(.attribute("a", .boolean)),
            thing(.attribute("z", .integer32, renamingIdentifier: "a"))),
        ModelStep(
            "transient and back", thing(.attribute("a", .string), .attribute("b", .string, transient: true)),
            thing(.attribute("a", .string, transient: true), .attribute("b", .string))),
        ModelStep(
            "rules loosened",
            thing(
                .attribute("a", .integer32, minimum: 3, maximum: 9),
                .attribute("b", .string, minimumLength: 3)),
            thing(
                .attribute("a", .integer32, minimum: 1, maximum: 90),
                .attribute("b", .string, maximumLength: 300))),
        ModelStep(
            "array added", thing(.attribute("a", .array(of: .string))),
            thing(.attribute("a", .array(of: .string)), .attribute("b", .array(of: .integer32)))),
        ModelStep(
            "composite added", thing(),
            thing(.attribute("place", .composite(place)))),
        ModelStep(
            "composite removed", thing(.attribute("place", .composite(place))), thing()),
        ModelStep(
            "composite renamed", thing(.attribute("place", .composite(place))),
            thing(.attribute("spot", .composite(place), renamingIdentifier: "place"))),
        ModelStep(
            "elements", thing(.attribute("place", .composite(place))),
            thing(
                .attribute(
                    "place",
                    .composite(
                        CompositeDescription(
                            "Place",
                            [
                                .init("z", .double, renamingIdentifier: "y"),
                                .init("x", .integer64, optional: false),
                                .init("w", .string),
                            ]))))),
        ModelStep(
            "required element added", thing(.attribute("place", .composite(place))),
            thing(
                .attribute(
                    "place",
                    .composite(
                        CompositeDescription(
                            "Place", place.elements + [.init("unit", .string, optional: false, default: "m")])
                    )))),
        ModelStep(
            "nested elements", thing(.attribute("deep", deep(["label"]))),
            thing(.attribute("deep", deep(["text"])))),
        ModelStep(
            "indexes",
            [
                entity(
                    "Thing", [.attribute("a", .string), .attribute("b", .integer32)],
                    indexes: [
                        .init("one", on: "a"), .init("two", on: "b", "a"),
                        .init("text", elements: [.folded("a")]),
                    ])
            ],
            [
                entity(
                    "Thing",
                    [.attribute("c", .string, renamingIdentifier: "a"), .attribute("b", .integer64)],
                    indexes: [
                        .init("one", on: "c"), .init("three", on: "b", "c"),
                        .init("text", elements: [.folded("c")]),
                    ])
            ]),
        ModelStep(
            "folded index",
            [entity("Thing", [.attribute("a", .string)])],
            [entity("Thing", [.attribute("a", .string)], indexes: [.init("text", elements: [.folded("a")])])]),
        ModelStep(
            "uniqueness",
            [
                entity(
                    "Thing", [.attribute("a", .string), .attribute("b", .uuid)], unique: [["a"], ["a", "b"]])
            ],
            [
                entity(
                    "Thing", [.attribute("c", .string, renamingIdentifier: "a"), .attribute("b", .uuid)],
                    unique: [["c"], ["b", "c"]])
            ]),
        ModelStep(
            "derived", thing(.attribute("name", .string)),
            thing(
                .attribute("name", .string), .attribute("key", .string, derivation: "canonical:(name)"),
                .attribute("loud", .string, derivation: "uppercase:(name)"))),
        ModelStep(
            "derived from a renamed and widened one",
            thing(
                .attribute("name", .string), .attribute("key", .string, derivation: "canonical:(name)"),
                .attribute("a", .integer16), .attribute("copy", .integer16, derivation: "a")),
            thing(
                .attribute("title", .string, renamingIdentifier: "name"),
                .attribute("key", .string, derivation: "canonical:(title)"),
                .attribute("a", .integer32), .attribute("copy", .integer32, derivation: "a"))),
        ModelStep(
            "moments", thing(),
            thing(
                .attribute("a", .date, optional: false, derivation: "now()"),
                .attribute("b", .double, optional: false, derivation: "now()"),
                .attribute("c", .date, derivation: "now()"))),
        ModelStep(
            "derived removed with its source",
            thing(
                .attribute("rest", .string), .attribute("name", .string),
                .attribute("key", .string, derivation: "canonical:(name)")),
            thing(.attribute("rest", .string))),
        ModelStep(
            "derived from another source, the former one removed",
            thing(
                .attribute("name", .string), .attribute("other", .string),
                .attribute("key", .string, derivation: "canonical:(name)")),
            thing(.attribute("other", .string), .attribute("key", .string, derivation: "canonical:(other)"))),
        ModelStep(
            "derived no longer",
            thing(.attribute("name", .string), .attribute("key", .string, derivation: "lowercase:(name)")),
            thing(.attribute("name", .string), .attribute("key", .string))),
    ]
}
