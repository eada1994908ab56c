import Foundation
package import HowdahModel

extension ManagedObjectModel {
    /// One of everything: a hierarchy, nested composites, every kind of relationship and rule.
    package static func company() throws -> ManagedObjectModel {
        let place = CompositeDescription(
            "Place",
            [.init("latitude", .double, optional: false), .init("longitude", .double, optional: false)])
        let address = CompositeDescription(
            "Address",
            [
                .init("street", .string, optional: false), .init("zip", .string),
                .init("place", .composite(place)),
            ])
        return try ManagedObjectModel(entities: [
            EntityDescription(
                "Person",
                properties: [
                    .attribute(
                        "firstName", .string, optional: false, default: "", minimumLength: 1,
                        maximumLength: 80),
                    .attribute("bornAt", .date, minimum: .date(.init(timeIntervalSince1970: -3_786_825_600))),
                    .attribute("address", .composite(address)),
                    .attribute("displayName", .string, transient: true),
                    .relationship("parent", to: "Person", inverse: "children"),
                    .relationship(
                        "children", to: "Person", inverse: "parent", toMany: true, deleteRule: .deny),
                    .relationship("friends", to: "Person", inverse: "friends", toMany: true),
                    .relationship("passport", to: "Passport", inverse: "holder", deleteRule: .cascade),
                ]),
            EntityDescription(
                "Employee", superentity: "Person",
                properties: [
                    .attribute("number", .integer32, optional: false),
                    .attribute(
                        "salary", .decimal, optional: false, default: 0, minimum: 0, maximum: 1_000_000),
                    .relationship("department", to: "Department", inverse: "employees", optional: false),
                    .relationship("projects", to: "Project", inverse: "members", toMany: true, ordered: true),
                ], uniquenessConstraints: [["number"], ["firstName"]]),
            EntityDescription(
                "Manager", superentity: "Employee",
                properties: [.attribute("number of reports", .integer16)], renamingIdentifier: "Boss"),
            EntityDescription(
                "Department",
                properties: [
                    .attribute("name", .string, optional: false),
                    .attribute("key", .uuid),
                    .attribute("site", .uri, default: "https://example.org/"),
                    .attribute("settings", .transformable, userInfo: [MappingKey.jsonb: "true"]),
                    .attribute("office", .composite(place), optional: false),
                    .relationship(
                        "employees", to: "Employee", inverse: "department", toMany: true, ordered: true,
                        deleteRule: .cascade),
                    .relationship("head", to: "Manager"),
                ], uniquenessConstraints: [["name", "key"]]),
            EntityDescription(
                "Project",
                properties: [
                    .attribute("order", .integer64, optional: false, default: -1),
                    .attribute("isOpen", .boolean, optional: false, default: true),
                    .attribute("ratio", .float, default: 0.5),
                    .attribute("logo", .binary, default: .data(.init([0, 255]))),
                    .attribute("startedAt", .date, default: .date(.init(timeIntervalSince1970: 0.25))),
                    .relationship(
                        "members", to: "Employee", inverse: "projects", toMany: true, deleteRule: .deny),
                    .relationship("tags", to: "Tag", toMany: true),
                ]),
            EntityDescription(
                "Passport",
                properties: [
                    .attribute("code", .string, optional: false),
                    .relationship("holder", to: "Person", inverse: "passport", optional: false),
                ]),
            EntityDescription("Tag", properties: [.attribute("text", .string)]),
        ])
    }
}

/// An entity in one line.
package func entity(
    _ name: String, _ properties: [PropertyDescription] = [], abstract: Bool = false,
    super superentity: String? = nil,
    was identifier: String? = nil, unique: [[String]] = [], indexes: [FetchIndexDescription] = []
) -> EntityDescription {
    EntityDescription(
        name, abstract: abstract, superentity: superentity, properties: properties,
        uniquenessConstraints: unique, fetchIndexes: indexes, renamingIdentifier: identifier)
}
