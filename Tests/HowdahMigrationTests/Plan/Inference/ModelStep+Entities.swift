import HowdahModel
import TestSupport

extension ModelStep {
    private static let name = PropertyDescription.attribute("name", .string)

    private static func animals(_ properties: [PropertyDescription] = [name]) -> [EntityDescription] {
        [
            entity("Animal", properties),
            entity("Cat", [.attribute("lives", .integer16, optional: false, default: 9)], super: "Animal"),
            entity(
                "Dog", [.attribute("lives", .integer16), .relationship("enemy", to: "Cat", inverse: nil)],
                super: "Animal"),
            entity(
                "Zoo",
                [.relationship("animals", to: "Animal", toMany: true), .relationship("star", to: "Animal")]),
        ]
    }

    static let entities: [ModelStep] = [
        ModelStep(
            "entity added", [entity("A", [name])],
            [entity("A", [name]), entity("B", [.attribute("x", .date)])]),
        ModelStep(
            "entity removed",
            [
                entity("A", [name, .relationship("b", to: "B", inverse: "a")]),
                entity("B", [.attribute("x", .date), .relationship("a", to: "A", inverse: "b")]),
            ], [entity("A", [name])]),
        ModelStep(
            "entity renamed",
            [
                entity("A", [name, .relationship("b", to: "B")], unique: [["name"]]),
                entity("B", [.attribute("x", .date)]),
            ],
            [
                entity("Z", [name, .relationship("b", to: "Y")], was: "A", unique: [["name"]]),
                entity("Y", [.attribute("x", .date)], was: "B"),
            ]),
        ModelStep(
            "entities swapped",
            [entity("A", [.attribute("x", .date)]), entity("B", [.attribute("y", .uuid)])],
            [
                entity("B", [.attribute("x", .date)], was: "A"),
                entity("A", [.attribute("y", .uuid)], was: "B"),
            ]),
        ModelStep(
            "subentity added", animals(),
            animals() + [entity("Fish", [.attribute("fins", .integer32)], super: "Animal")]),
        ModelStep(
            "first subentity added",
            [
                entity("A", [name, .relationship("next", to: "A")]),
                entity("B", [.relationship("a", to: "A", toMany: true)]),
            ],
            [
                entity("A", [name, .relationship("next", to: "A")]), entity("A1", super: "A"),
                entity("B", [.relationship("a", to: "A", toMany: true)]),
            ]),
        ModelStep(
            "only subentity removed",
            [
                entity("A", [name, .relationship("next", to: "A")]),
                entity("A1", [.attribute("x", .date)], super: "A"),
                entity("B", [.relationship("a", to: "A", toMany: true)]),
            ],
            [
                entity("A", [name, .relationship("next", to: "A")]),
                entity("B", [.relationship("a", to: "A", toMany: true)]),
            ]),
        ModelStep(
            "subentity removed", animals(),
            animals().filter { $0.name != "Dog" }),
        ModelStep(
            "subentity renamed", animals(),
            animals().map { animal in
                var animal = animal
                if animal.name == "Dog" { (animal.name, animal.renamingIdentifier) = ("Hound", "Dog") }
                return animal
            }),
        ModelStep(
            "identifier added late", animals(),
            animals().map { animal in
                var animal = animal
                if animal.name == "Dog" { animal.renamingIdentifier = "Wolf" }
                return animal
            }),
        ModelStep(
            "property moved up", animals(),
            animals([name, .attribute("lives", .integer16)]).map { animal in
                var animal = animal
                if animal.superentity != nil { animal.properties.removeAll { $0.name == "lives" } }
                return animal
            }),
        ModelStep(
            "property moved down", animals([name, .attribute("age", .integer32)]),
            animals().map { animal in
                var animal = animal
                if animal.superentity != nil { animal.properties.append(.attribute("age", .integer32)) }
                return animal
            }),
        ModelStep(
            "property moved down to one", animals([name, .attribute("age", .integer32)]),
            animals().map { animal in
                var animal = animal
                if animal.name == "Cat" { animal.properties.append(.attribute("age", .integer32)) }
                return animal
            }),
        ModelStep(
            "required property moved down to one",
            animals([name, .attribute("age", .integer32, optional: false, default: 3)]),
            animals().map { animal in
                var animal = animal
                if animal.name == "Cat" {
                    animal.properties.append(.attribute("age", .integer32, optional: false))
                }
                return animal
            }),
        ModelStep(
            "required unique property moved down",
            [
                entity(
                    "Top", [name, .attribute("code", .uuid, optional: false)], abstract: true,
                    unique: [["code"]]),
                entity("A", [.attribute("x", .date)], super: "Top"), entity("B", super: "Top"),
            ],
            [
                entity("Top", [name], abstract: true),
                entity(
                    "A", [.attribute("x", .date), .attribute("code", .uuid, optional: false)], super: "Top",
                    unique: [["code"]]),
                entity("B", [.attribute("code", .uuid, optional: false)], super: "Top", unique: [["code"]]),
            ]),
        ModelStep(
            "required to-one moved down",
            animals([name, .relationship("home", to: "Animal", optional: false)]),
            animals().map { animal in
                var animal = animal
                if animal.name == "Dog" {
                    animal.properties.append(.relationship("home", to: "Animal", optional: false))
                }
                return animal
            }),
        ModelStep(
            "new parent in between", animals(),
            animals().map { animal in
                var animal = animal
                if animal.superentity != nil { animal.superentity = "Pet" }
                return animal
            } + [entity("Pet", [.attribute("owner", .string)], super: "Animal")]),
        ModelStep(
            "new parent on top",
            [entity("A", [name, .attribute("x", .date)]), entity("C", [.relationship("a", to: "A")])],
            [
                entity("Top", [name], abstract: true), entity("A", [.attribute("x", .date)], super: "Top"),
                entity("C", [.relationship("a", to: "A")]),
            ]),
        ModelStep(
            "new parent on top of two",
            [
                entity("A", [name, .attribute("x", .date)]), entity("B", [name, .attribute("y", .uuid)]),
                entity("C", [.relationship("a", to: "A", toMany: true), .relationship("b", to: "B")]),
            ],
            [
                entity("Top", [name], abstract: true), entity("A", [.attribute("x", .date)], super: "Top"),
                entity("B", [.attribute("y", .uuid)], super: "Top"),
                entity("C", [.relationship("a", to: "A", toMany: true), .relationship("b", to: "B")]),
            ]),
        ModelStep(
            "out of the hierarchy", animals(),
            animals().map { animal in
                var animal = animal
                if animal.name == "Cat" {
                    animal.superentity = nil
                    animal.properties.append(name)
                }
                if animal.name == "Zoo" { animal.properties = [] }
                return animal
            }),
        ModelStep(
            "parent removed",
            [
                entity("Top", [name], abstract: true), entity("A", [.attribute("x", .date)], super: "Top"),
                entity("B", super: "Top"),
            ],
            [entity("A", [name, .attribute("x", .date)]), entity("B", [name])]),
        ModelStep(
            "into another hierarchy",
            [
                entity("A", [name]), entity("A1", [.attribute("x", .date)], super: "A"), entity("B", [name]),
                entity("B1", super: "B"), entity("C", [.relationship("to", to: "A1")]),
            ],
            [
                entity("A", [name]), entity("A1", [.attribute("x", .date)], super: "B"), entity("B", [name]),
                entity("B1", super: "B"), entity("C", [.relationship("to", to: "A1")]),
            ]),
    ]
}
