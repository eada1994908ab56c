import Howdah

/// Employees and departments without classes, so that no macro is compiled.
enum Shop {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Department",
                properties: [
                    .attribute("name", .string, optional: false),
                    .relationship("employees", to: "Employee", inverse: "department", toMany: true),
                ], uniquenessConstraints: [["name"]]),
            EntityDescription(
                "Employee",
                properties: [
                    .attribute("name", .string, optional: false),
                    .relationship("department", to: "Department", inverse: "employees"),
                ]),
        ])
    }

    static func fill(_ context: ManagedObjectContext) throws {
        for name in ["Research", "Sales"] {
            let department = context.insert("Department")
            department["name"] = name
            let employee = context.insert("Employee")
            employee["name"] = "Ada"
            employee["department"] = department
        }
        try context.save()
    }
}
