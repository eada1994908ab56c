import HowdahModel
import TestSupport

extension ModelStep {
    private static func pair(
        _ owner: RelationshipDescription?, _ member: RelationshipDescription?
    ) -> [EntityDescription] {
        [
            entity(
                "Owner", [.attribute("name", .string)] + [owner].compactMap { $0.map { .relationship($0) } }),
            entity(
                "Member", [.attribute("name", .string)] + [member].compactMap { $0.map { .relationship($0) } }
            ),
        ]
    }

    private static func members(
        toMany: Bool = true, ordered: Bool = false, rule: DeleteRule = .nullify, inverse: String? = "owner",
        _ name: String = "members", was: String? = nil
    ) -> RelationshipDescription {
        RelationshipDescription(
            name, to: "Member", inverse: inverse, toMany: toMany, ordered: ordered, deleteRule: rule,
            renamingIdentifier: was)
    }

    private static func owner(
        toMany: Bool = false, ordered: Bool = false, optional: Bool = true, rule: DeleteRule = .nullify,
        inverse: String? = "members", _ name: String = "owner", was: String? = nil
    ) -> RelationshipDescription {
        RelationshipDescription(
            name, to: "Owner", inverse: inverse, toMany: toMany, ordered: ordered, optional: optional,
            deleteRule: rule, renamingIdentifier: was)
    }

    static let relationships: [ModelStep] = [
        ModelStep("relationship added", pair(nil, nil), pair(members(), owner())),
        ModelStep("many-to-many added", pair(nil, nil), pair(members(), owner(toMany: true))),
        ModelStep("relationship removed", pair(members(), owner()), pair(nil, nil)),
        ModelStep("many-to-many removed", pair(members(), owner(toMany: true)), pair(nil, nil)),
        ModelStep(
            "relationships renamed", pair(members(), owner()),
            pair(
                members(inverse: "boss", "people", was: "members"),
                owner(inverse: "people", "boss", was: "owner"))),
        ModelStep(
            "many-to-many renamed", pair(members(ordered: true), owner(toMany: true)),
            pair(
                members(ordered: true, inverse: "bosses", "people", was: "members"),
                owner(toMany: true, inverse: "people", "bosses", was: "owner"))),
        ModelStep(
            "one-to-many to many-to-many", pair(members(), owner()), pair(members(), owner(toMany: true))),
        ModelStep(
            "ordered one-to-many to many-to-many", pair(members(ordered: true), owner()),
            pair(members(ordered: true), owner(toMany: true))),
        ModelStep(
            "one-to-one to one-to-many", pair(members(toMany: false), owner()), pair(members(), owner())),
        ModelStep(
            "one-to-one turned round", pair(members(toMany: false, rule: .cascade), owner()),
            pair(members(toMany: false), owner(rule: .cascade))),
        ModelStep("ordered", pair(members(), owner()), pair(members(ordered: true), owner())),
        ModelStep("no longer ordered", pair(members(ordered: true), owner()), pair(members(), owner())),
        ModelStep(
            "many-to-many ordered", pair(members(), owner(toMany: true)),
            pair(members(ordered: true), owner(toMany: true, ordered: true))),
        ModelStep(
            "many-to-many no longer ordered",
            pair(members(ordered: true), owner(toMany: true, ordered: true)),
            pair(members(), owner(toMany: true))),
        ModelStep(
            "delete rules", pair(members(rule: .cascade), owner()), pair(members(rule: .deny), owner())),
        ModelStep(
            "no action and back", pair(members(rule: .noAction), owner()), pair(members(), owner())),
        ModelStep(
            "required to optional", pair(members(rule: .cascade), owner(optional: false)),
            pair(members(rule: .cascade), owner())),
        ModelStep(
            "inverse added", pair(nil, owner(inverse: nil)), pair(members(), owner())),
        ModelStep(
            "inverse removed", pair(members(), owner()), pair(nil, owner(inverse: nil))),
        ModelStep(
            "one-way to-one to to-many", pair(members(toMany: false, inverse: nil), nil),
            pair(members(inverse: nil), nil)),
        ModelStep(
            "delete trigger", pair(members(), owner()),
            pair(
                members(),
                {
                    var keeper = owner(rule: .cascade)
                    keeper.hasDeleteTrigger = true
                    return keeper
                }())),
        ModelStep(
            "counted", pair(members(), owner()),
            [
                entity(
                    "Owner",
                    [
                        .attribute("name", .string), .relationship(members()),
                        .attribute("size", .integer64, optional: false, derivation: "members.@count"),
                    ]),
                entity(
                    "Member",
                    [
                        .attribute("name", .string), .relationship(owner()),
                        .attribute("ownerName", .string, derivation: "owner.name"),
                    ]),
            ]),
    ]
}
