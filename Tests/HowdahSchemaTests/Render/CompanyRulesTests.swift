import HowdahModel
import HowdahSchema
import TestSupport
import Testing

/// The rules of the company model, tried on a server by someone who only has `psql`.
@Suite(.serialized, .enabled(if: ThrowAwayServer.absence == nil, "\(ThrowAwayServer.absence ?? "")"))
struct CompanyRulesTests {
    /// One row of everything that the attempts build on.
    private static let rows = [
        "SET search_path = company",
        "INSERT INTO department (_id, office_latitude, office_longitude, name) VALUES (1, 1, 2, 'Research'), (2, 1, 2, 'Sales')",
        "INSERT INTO person (_id, _entity, first_name) VALUES (10, 'Person', 'Ada')",
        """
        INSERT INTO person (_id, _entity, first_name, employee_number, employee_salary, employee_department)
        VALUES (11, 'Employee', 'Bob', 1, 100, 1), (12, 'Boss', 'Cyd', 2, 100, 1)
        """,
        "UPDATE department SET head = 12, head_entity = 'Boss' WHERE _id = 2",
        "INSERT INTO passport (_id, code, holder, holder_entity) VALUES (20, 'P1', 10, 'Person')",
        "INSERT INTO project (_id) VALUES (30)",
        "INSERT INTO tag (_id) VALUES (40)",
        "INSERT INTO project_tags (project, tags) VALUES (30, 40)",
        "INSERT INTO person_friends (person, person_entity, friends, friends_entity) VALUES (10, 'Person', 11, 'Employee')",
        "INSERT INTO employee_projects (members, members_entity, projects) VALUES (11, 'Employee', 30)",
    ]

    /// A statement, and the constraint or SQLSTATE that refuses it; nil where it goes through.
    private static let attempts: [(String, String?)] = [
        ("INSERT INTO person (_entity, first_name) VALUES ('Person', 'Eve')", nil),
        ("INSERT INTO person (_entity, first_name) VALUES ('Stranger', 'Eve')", "person__entity_check"),
        ("INSERT INTO person (_entity, first_name) VALUES ('Person', '')", "person_first_name_length_check"),
        (
            "INSERT INTO person (_entity, first_name, born_at) VALUES ('Person', 'E', '1500-01-01')",
            "person_born_at_range_check"
        ),
        // Required attributes and relationships of a subentity hold for its rows only.
        (
            "INSERT INTO person (_entity, first_name, employee_salary, employee_department) VALUES ('Employee', 'E', 1, 1)",
            "person_employee_number_required_check"
        ),
        (
            "INSERT INTO person (_entity, first_name, employee_salary, employee_number) VALUES ('Boss', 'E', 1, 9)",
            "person_employee_department_required_check"
        ),
        // A composite is there or not, level by level.
        ("UPDATE person SET address_street = 's' WHERE _id = 10", nil),
        ("UPDATE person SET address_zip = 'z' WHERE _id = 10", "person_address_complete_check"),
        (
            "UPDATE person SET address_street = 's', address_place_latitude = 1 WHERE _id = 10",
            "person_address_place_complete_check"
        ),
        (
            "UPDATE person SET address_place_latitude = 1, address_place_longitude = 1 WHERE _id = 10",
            "person_address_complete_check"
        ),
        ("UPDATE department SET office_latitude = NULL WHERE _id = 1", "23502"),
        // References carry the entity.
        ("UPDATE person SET parent = 11, parent_entity = 'Employee' WHERE _id = 10", nil),
        ("UPDATE person SET parent = 11 WHERE _id = 10", "person_parent_pair_check"),
        ("UPDATE person SET parent = 11, parent_entity = 'Person' WHERE _id = 10", "person_parent_fkey"),
        (
            "UPDATE department SET head = 11, head_entity = 'Employee' WHERE _id = 1",
            "department_head_entity_check"
        ),
        // Unique values.
        ("UPDATE person SET employee_number = 1 WHERE _id = 12", "person_employee_number_key"),
        ("UPDATE person SET first_name = 'Bob' WHERE _id = 12", "person_employee_first_name_key"),
        ("UPDATE person SET first_name = 'Bob' WHERE _id = 10", nil),
        (
            "INSERT INTO passport (code, holder, holder_entity) VALUES ('P2', 10, 'Person')",
            "passport_holder_key"
        ),
        (
            "INSERT INTO person_friends (person, person_entity, friends, friends_entity) VALUES (10, 'Person', 11, 'Employee')",
            "person_friends_pkey"
        ),
        // Delete rules: cascade, deny over links, links that go, set null, required and nullify.
        ("DELETE FROM person WHERE _id = 10", nil),
        ("DELETE FROM project WHERE _id = 30", "employee_projects_projects_fkey"),
        ("DELETE FROM tag WHERE _id = 40", nil),
        (
            "DELETE FROM person WHERE _id = 12; SELECT 1 / (count(*) - 1) FROM department WHERE head IS NULL AND head_entity IS NULL",
            nil
        ),
        ("DELETE FROM department WHERE _id = 1; SELECT 1 / (2 - count(*)) FROM person", nil),
        (
            "UPDATE person SET parent = 11, parent_entity = 'Employee' WHERE _id = 10; DELETE FROM person WHERE _id = 11",
            "person_parent_fkey"
        ),
    ]

    @Test func rulesHoldForWhoeverWrites() throws {
        let server = try ThrowAwayServer()
        let schema = try StoreSchema(.company(), schemaName: "company")
        try server.run(SchemaCreation(schema).statements)
        try server.run(Self.rows)
        for (statement, refusal) in Self.attempts {
            let attempt = ["SET search_path = company", statement, "ROLLBACK"]
            guard let refusal else {
                #expect(throws: Never.self, "\(statement)") { try server.run(attempt) }
                continue
            }
            let failure = #expect(throws: ThrowAwayServer.Failure.self, "\(statement)") {
                try server.run(attempt)
            }
            let text = failure?.description ?? ""
            #expect(text.contains("\"\(refusal)\"") || text.contains("\(refusal):"), "\(statement): \(text)")
        }
    }

    /// The deferrable keys let a cyclic graph be written in any order, and be deleted parents first.
    @Test func deferredKeysAllowAnyOrder() throws {
        let server = try ThrowAwayServer()
        let schema = try StoreSchema(.company(), schemaName: "company")
        try server.run(SchemaCreation(schema).statements)
        try server.run([
            "SET search_path = company", "SET CONSTRAINTS ALL DEFERRED",
            "INSERT INTO passport (_id, code, holder, holder_entity) VALUES (20, 'P1', 10, 'Person')",
            "INSERT INTO person (_id, _entity, first_name, parent, parent_entity) VALUES (10, 'Person', 'A', 11, 'Person')",
            "INSERT INTO person (_id, _entity, first_name, parent, parent_entity) VALUES (11, 'Person', 'B', 10, 'Person')",
            "SET CONSTRAINTS ALL IMMEDIATE", "SET CONSTRAINTS ALL DEFERRED",
            "DELETE FROM person WHERE _id = 10", "DELETE FROM person WHERE _id = 11",
            "SET CONSTRAINTS ALL IMMEDIATE",
        ])
        #expect(try server.run(["SELECT count(*) FROM company.passport"]) == "0\n")
    }

    @Test func theMetadataTableHoldsOneRow() throws {
        let server = try ThrowAwayServer()
        let schema = try StoreSchema(.company(), schemaName: "company")
        try server.run(SchemaCreation(schema).statements)
        let row =
            "INSERT INTO company._howdah_store (store_uuid, format_version, model, checksum) VALUES (gen_random_uuid(), 1, '', '')"
        try server.run([row])
        #expect(throws: ThrowAwayServer.Failure.self) { try server.run([row]) }
        #expect(throws: ThrowAwayServer.Failure.self) {
            try server.run([
                row.replacing("(store_uuid", with: "(singleton, store_uuid").replacing(
                    "(gen", with: "(false, gen")
            ])
        }
    }
}
