import Howdah

/// Firms whose attributes are derived in all ways; objects without classes.
enum DerivedModel {
    static func model() throws -> ManagedObjectModel {
        let place = CompositeDescription("Place", [.init("city", .string), .init("zip", .string)])
        return try ManagedObjectModel(entities: [
            EntityDescription(
                "Firm",
                properties: [
                    .attribute("name", .string, optional: false),
                    .relationship(
                        "departments", to: "Department", inverse: "firm", toMany: true, deleteRule: .cascade),
                    .attribute(
                        "departmentCount", .integer64, optional: false, derivation: "departments.@count"),
                ]),
            EntityDescription(
                "Department",
                properties: [
                    .attribute("name", .string, optional: false), .attribute("place", .composite(place)),
                    .attribute("key", .string, optional: false, derivation: "canonical:(name)"),
                    .attribute("upper", .string, derivation: "uppercase:(name)"),
                    .attribute("lower", .string, derivation: "lowercase:(name)"),
                    .attribute("city", .string, derivation: "place.city"),
                    .attribute("changedAt", .date, optional: false, derivation: "now()"),
                    .attribute("headcount", .integer32, optional: false, derivation: "employees.@count"),
                    .attribute("payroll", .decimal, derivation: "employees.@sum.salary"),
                    .attribute("leadCount", .integer64, derivation: "leads.@count"),
                    .attribute("firmName", .string, derivation: "firm.name"),
                    .attribute("budget", .integer64),
                    .relationship("firm", to: "Firm", inverse: "departments"),
                    .relationship(
                        "employees", to: "Employee", inverse: "department", toMany: true, deleteRule: .nullify
                    ),
                    .relationship("leads", to: "Boss", inverse: "leads", toMany: true),
                ]),
            EntityDescription(
                "Employee",
                properties: [
                    .attribute("name", .string, optional: false), .attribute("salary", .decimal),
                    .attribute("stamp", .double, derivation: "now()"),
                    .attribute("firmName", .string, derivation: "department.firm.name"),
                    .attribute("skillWeight", .integer64, optional: false, derivation: "skills.@sum.weight"),
                    .relationship("department", to: "Department", inverse: "employees"),
                    .relationship("skills", to: "Skill", inverse: "holders", toMany: true),
                    .relationship("desk", to: "Desk", inverse: "owner"),
                    .attribute("deskCode", .string, derivation: "desk.code"),
                ]),
            EntityDescription(
                "Boss", superentity: "Employee",
                properties: [
                    .attribute("title", .string, optional: false),
                    .attribute("titleKey", .string, optional: false, derivation: "canonical:(title)"),
                    .attribute("leadsCount", .integer64, optional: false, derivation: "leads.@count"),
                    .relationship("leads", to: "Department", inverse: "leads", toMany: true),
                ]),
            EntityDescription(
                "Skill",
                properties: [
                    .attribute("weight", .integer16),
                    .attribute("holderCount", .integer64, derivation: "holders.@count"),
                    .relationship("holders", to: "Employee", inverse: "skills", toMany: true),
                ]),
            EntityDescription(
                "Desk",
                properties: [
                    .attribute("code", .string),
                    .attribute("ownerName", .string, derivation: "owner.name"),
                    .relationship("owner", to: "Employee", inverse: "desk"),
                ]),
        ])
    }
}
