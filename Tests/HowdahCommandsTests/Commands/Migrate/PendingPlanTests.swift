import Foundation
import HowdahTesting
import Testing

/// What plans say of work that is pending, and what those that edit plans print for programs.
@Suite struct PendingPlanTests {
    private static let unique =
        "<uniquenessConstraints><uniquenessConstraint><constraint value=\"name\"/></uniquenessConstraint>"
        + "</uniquenessConstraints>"

    private static func folder() throws -> MigrationFolder {
        let name = MigrationFolder.attribute("name")
        return try MigrationFolder([
            "v1": name, "v2": name + unique,
            "v3": name + MigrationFolder.attribute("age", "Integer 32") + unique,
            "v4": name + "<attribute name=\"age\" attributeType=\"Integer 32\" defaultValueString=\"1\"/>"
                + unique,
        ])
    }

    @Test func aPlanIsNotDoneBeforeWhatIsOnline() throws {
        let store = try Self.folder()
        try store.make("v1")
        try store.sql("INSERT INTO author (_id, _version, name) VALUES (1, 1, 'Ada'), (2, 1, 'Ada')")
        #expect(try store.run("apply", "v2", "--defer", "--quiet").status == 4)
        let left = try store.run("plan", "v2")
        #expect(
            left.status == 2
                && left.output.contains("already has the model.\n… online  Author.name is unique"),
            "\(left)")
        let report = try store.run("plan", "v2", "--json")
        #expect(report.status == 2 && report.output.contains("\"pending\" : [\n    {"), "\(report)")
        #expect(report.output.contains("\"stages\" : ["), "\(report)")
        let next = try store.run("plan", "v3")
        #expect(
            next.output.hasPrefix("first, 1 step left by an earlier migration:\n… online  "), "\(next)")
        try store.sql("DELETE FROM author WHERE _id = 2")
        #expect(try store.operate("finish", "--quiet").status == 0)
        #expect(try store.run("plan", "v2").status == 0)
    }

    @Test func whatLocksAtTheEndIsSaid() throws {
        let store = try Self.folder()
        try store.make("v3")
        let plan = try store.run("plan", "v4", "--defer")
        #expect(
            plan.output.contains(
                "Author.age is required   SHARE UPDATE EXCLUSIVE, at the end ACCESS EXCLUSIVE for a moment, deferred"
            ),
            "\(plan)")
        let json = try store.run("plan", "v4", "--defer", "--json").output
        #expect(json.contains("\"lastLock\" : \"ACCESS EXCLUSIVE\""), "\(json)")
    }

    @Test func aSquashNamesWhatConfirmsADropInThePlan() throws {
        let (name, age) = (MigrationFolder.attribute("name"), MigrationFolder.attribute("age", "Integer 32"))
        let store = try MigrationFolder([
            "v1": name + age, "v2": name + age + MigrationFolder.attribute("nick"),
            "v3": name + MigrationFolder.attribute("nick"),
        ])
        try store.folder.write(
            "model: Library.xcdatamodeld\nstages:\n  - versions: [v1, v2]\n  - versions: [v2, v3]\n",
            at: "plan.yaml")
        func squash(_ more: String...) throws -> Tool.Outcome {
            try Tool.run(
                [
                    "migrate", "squash", "--plan", "plan.yaml", "--stages", "1-2", "--scratch",
                    store.database.url,
                ] + more, in: store.folder)
        }
        let refused = try squash()
        #expect(refused.status == 1, "\(refused)")
        #expect(
            refused.complaint.contains(
                "add this to the stage that drops them:\nconfirmedDrops: [Author.age]\n"),
            "\(refused)")
        let told = try squash("--json")
        #expect(told.status == 1 && told.output.contains("confirmedDrops: [Author.age]\""), "\(told)")
        #expect(told.output.contains("\"refusals\" : ["), "\(told)")
        for option in ["--confirm-drop", "--seed"] {
            #expect(!refused.complaint.contains(option), "\(refused)")
            #expect(!told.output.contains(option), "\(told)")
        }
        try store.folder.write(
            "model: Library.xcdatamodeld\nstages:\n  - versions: [v1, v2]\n  - versions: [v2, v3]\n"
                + "    confirmedDrops: [Author.age]\n", at: "plan.yaml")
        let squashed = try squash()
        #expect(squashed.status == 0, "\(squashed)")
        // The rename is not known without the version between.
        let renamed = try MigrationFolder([
            "v1": name, "v2": MigrationFolder.attribute("label", "String", "elementID=\"name\""),
            "v3": MigrationFolder.attribute("title", "String", "elementID=\"label\""),
        ])
        try renamed.folder.write(
            "model: Library.xcdatamodeld\nstages:\n  - versions: [v1, v2]\n  - versions: [v2, v3]\n",
            at: "plan.yaml")
        let lossy = try Tool.run(
            "migrate", "squash", "--plan", "plan.yaml", "--stages", "1-2", "--scratch",
            renamed.database.url, in: renamed.folder)
        #expect(lossy.status != 0, "\(lossy)")
        #expect(lossy.complaint.contains("Pass a new stage with --with FILE"), "\(lossy)")
    }

    @Test func editedPlansAreToldAsJSON() throws {
        let store = try Self.folder()
        func tool(_ arguments: String...) throws -> Tool.Outcome {
            try Tool.run(["migrate"] + arguments, in: store.folder)
        }
        for (from, to) in [("v1", "v2"), ("v2", "v3")] {
            let made = try tool(
                "new", "--plan", "plan.yaml", "--model", "Library.xcdatamodeld", "--from", from, "--to", to,
                "--json")
            #expect(made.status == 0 && made.output.contains("\"steps\" : "), "\(made)")
            #expect(made.output.contains("\"plan\" : \"plan.yaml\""), "\(made)")
        }
        let wrong = try tool(
            "new", "--plan", "plan.yaml", "--model", "Library.xcdatamodeld", "--from", "v9", "--json")
        #expect(wrong.status == 64 && wrong.output.contains("\"error\" : {"), "\(wrong)")
        let squashed = try tool(
            "squash", "--plan", "plan.yaml", "--stages", "1-2", "--scratch", store.database.url, "--json")
        #expect(squashed.status == 0 && squashed.output.contains("\"replaced\" : 2"), "\(squashed)")
    }
}
