import Foundation
import HowdahTesting
import Testing

/// `howdah predicate check` on a hierarchy whose entities and properties were renamed.
@Suite struct PredicateCheckTests {
    private let folder: ToolFolder

    init() throws {
        folder = try ToolFolder()
        try folder.place(
            """
            <entity name="Being" isAbstract="YES" elementID="Party">
                <attribute name="label" elementID="title" optional="YES" attributeType="String"/></entity>
            <entity name="Person" parentEntity="Being" elementID="Worker">
                <attribute name="salary" elementID="pay" optional="YES" attributeType="Integer 32"/>
                <attribute name="pattern" optional="YES" attributeType="String"/>
                <attribute name="born" optional="YES" attributeType="Date"/>
                <attribute name="code" optional="YES" attributeType="UUID"/>
                <relationship name="team" optional="YES" maxCount="1" deletionRule="Nullify"
                    destinationEntity="Team" inverseName="people" inverseEntity="Team"/></entity>
            <entity name="Boss" parentEntity="Person">
                <attribute name="budget" optional="YES" attributeType="Double"/></entity>
            <entity name="Team" parentEntity="Being">
                <relationship name="people" toMany="YES" optional="YES" deletionRule="Nullify"
                    destinationEntity="Person" inverseName="team" inverseEntity="Person"/></entity>
            """, at: "Staff.xcdatamodel")
    }

    private func check(_ arguments: String...) throws -> Tool.Outcome {
        try Tool.run(["predicate", "check", "--model", "Staff.xcdatamodel"] + arguments, in: folder)
    }

    private func parameters(_ format: String, _ entity: String) throws -> [String]? {
        let outcome = try check("--json", "--entity", entity, format)
        #expect(outcome.status == 0, "\(format): \(outcome)")
        let finding = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
        return finding?["parameters"] as? [String]
    }

    @Test func everyEntityOfAHierarchyIsAskedAsAFetchIs() throws {
        for (format, entities) in [
            ("label == %@", "Being, Person, Boss, Team"), ("SELF == %@", "Being, Person, Boss, Team"),
            ("SELF IN %@", "Being, Person, Boss, Team"), ("salary > %@", "Person, Boss"),
            ("team == %@", "Person, Boss"), ("team.people CONTAINS %@", "Person, Boss"),
            ("budget > %@", "Boss"),
            ("people CONTAINS %@", "Team"), ("ANY people.team == %@", "Team"), ("%@ IN people", "Team"),
            ("entity == %@", "Being, Person, Boss, Team"), ("label LIKE pattern", "Person, Boss"),
            ("pattern LIKE[cd] team.label", "Person, Boss"),
        ] {
            let outcome = try check(format)
            #expect(outcome.output == "valid for \(entities)\n", "\(format): \(outcome)")
            for entity in ["Being", "Person", "Boss", "Team"] {
                let one = try check("--entity", entity, format)
                #expect((one.status == 0) == entities.contains(entity), "\(format): \(one)")
            }
        }
    }

    @Test func namesOfEarlierVersionsAreToldWithThoseOfToday() throws {
        for (format, words) in [
            ("title == 'a'", "Being has no property 'title'. Use its new name 'label'."),
            (
                "pay > 3",
                "The error of the nearest one: Person has no property 'pay'. Use its new name 'salary'."
            ),
            (
                "ANY people.pay > 3",
                "Person has no property 'pay', which the key path people.pay names. Use its new name 'salary'."
            ),
            ("ANY people.budget > 3", "Use its sub-entity Boss, which has that property."),
            ("SUBQUERY(people, $p, $p.pay > %@).@count > 0", "Use its new name 'salary'."),
        ] {
            let outcome = try check(format)
            #expect(outcome.status == 1 && outcome.complaint.contains(words), "\(format): \(outcome)")
            #expect(outcome.complaint.contains("^"), "\(outcome)")
        }
        #expect(
            try check("--entity", "Worker", "salary > 3").complaint.contains(
                "no entity 'Worker'. Use its new name 'Person'."))
        #expect(
            try check("--entity", "Being", "salary > 3").complaint.contains(
                "Being has no property 'salary'. Use its sub-entity Person, which has that property."))
        try folder.write(
            "format\tentity\npay > 3\tWorker\npay > 3\tPerson\nsalary > 3\tPerson\n", at: "t.tsv")
        let table = try check("--file", "t.tsv")
        #expect(
            table.output.contains(
                "t.tsv:2: error: The model has no entity 'Worker'. Use its new name 'Person'."))
        #expect(
            table.output.contains(
                "t.tsv:3:1: error: Person has no property 'pay'. Use its new name 'salary'."))
        #expect(table.output.hasSuffix("3 formats, 1 valid, 2 invalid\n"), "\(table)")
    }

    /// A fetch takes them, and finds nothing.
    @Test func entityNamesThatAreNotThereAreWarnedOf() throws {
        let outcome = try check("entity.name == 'Worker'")
        #expect(outcome.status == 0 && outcome.output == "valid for Being, Person, Boss, Team\n")
        #expect(
            outcome.complaint
                == "warning: The model has no entity 'Worker', so no object matches. Use its new name 'Person'.\n",
            "\(outcome)")
        try folder.write(
            "entity.lineage CONTAINS 'Party'\nentity.name IN {'Boss', 'Bos'}\nANY people.entity == 'Zebra'\n"
                + "entity.name == 'Person'\nlabel == 'Worker'\n", at: "f.txt")
        let file = try check("--file", "f.txt")
        #expect(file.status == 0 && file.output.hasSuffix("5 formats, 5 valid, 0 invalid\n"), "\(file)")
        for line in [
            "f.txt:1:26: warning: The model has no entity 'Party', so no object matches. Use its new name 'Being'.",
            "f.txt:2:26: warning: The model has no entity 'Bos', so no object matches. Did you mean 'Boss'?",
            "f.txt:3:23: warning: The model has no entity 'Zebra'",
        ] {
            #expect(file.output.contains(line), "\(line): \(file)")
        }
        #expect(file.output.split(separator: "\n").count == 4)
        let json = try check("--json", "entity.name == 'Worker'")
        #expect(json.output.contains("\"warnings\" : ["))
    }

    @Test func argumentsHaveTypesInsideOfOperands() throws {
        let zeros = "'00000000-0000-0000-0000-000000000001'"
        for (format, entity, parameters) in [
            (
                "SUBQUERY(people, $e, $e.salary > %@ AND $e.label BEGINSWITH %@).@count > 0", "Team",
                ["1", "'x'"]
            ),
            ("SUBQUERY(people, $e, $e.salary > %@ AND $e.team == %@).@count > %@", "Team", ["1", "1", "1"]),
            ("SUBQUERY(people, $e, $e == %@ AND $e.code == %@).@count > 0", "Team", ["1", zeros]),
            ("SUBQUERY(people, $e, $e.salary IN %@).@count > 0", "Team", ["{1}"]),
            (
                "SUBQUERY(people, $e, $e.salary BETWEEN %@ OR %@ == label).@max.salary > %@", "Team",
                ["1", "1", "'x'", "1"]
            ),
            (
                "SUBQUERY(team.people, $e, SUBQUERY($e.team.people, $f, $f.born < %@).@count > %@).@count == %@",
                "Person", ["'2001-01-01 00:00:00+00'", "1", "1"]
            ),
            ("SUBQUERY(people, $e, $e.salary > %@).@sum.salary > %@", "Team", ["1", "1"]),
            ("people.@sum.salary > %@ AND people.@count > %@", "Team", ["1", "1"]),
            ("salary + %@ > %@", "Person", ["1", "1"]), ("uppercase:(label) == %@", "Person", ["'x'"]),
            ("length:(label) > %@", "Person", ["1"]), ("length:(%@) > salary", "Person", ["1"]),
            ("TERNARY(salary > %@, label, %@) == %@", "Person", ["1", "'x'", "'x'"]),
        ] {
            // The entity itself comes first, if the hierarchy has others.
            let found = try self.parameters(format, entity).map { Array($0.dropFirst()) }
            if format.contains("born") || format.contains("length:(%@)") || format.contains("TERNARY") {
                #expect(found != nil, "\(format)")
            } else {
                #expect(found == parameters, "\(format): \(found ?? [])")
            }
        }
    }

    @Test func anUnknownKeyIsNamedFirst() throws {
        for (format, place, key) in [
            ("label > 5 AND salry == 4", 15, "salry"), ("salary == 'x' AND nothing == 3", 19, "nothing"),
            ("label BETWEEN 5 AND salry == 4", 21, "salry"), ("salry BETWEEN 5", 1, "salry"),
            ("team.people.salary > 3 AND nothing == 1", 28, "nothing"),
            ("{1, 2} == salary AND nothing > 4", 22, "nothing"),
            ("salary > %@ AND label > 4 AND nothing == %@", 31, "nothing"),
        ] {
            let json = try check("--json", "--entity", "Person", format)
            let finding = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
            let error = finding?["error"] as? [String: Any]
            #expect(error?["code"] as? String == "unknownKey", "\(format): \(json)")
            #expect(error?["position"] as? Int == place, "\(format): \(json)")
            #expect((error?["message"] as? String)?.contains("'\(key)'") == true, "\(format)")
            #expect(try check(format).complaint.contains("'\(key)'"), "\(format)")
        }
        // Where all keys are known, the operator is what is wrong, and what cannot be read comes before everything.
        #expect(try check("--entity", "Person", "salary BETWEEN 5").complaint.contains("needs two bounds"))
        #expect(
            try check("--entity", "Person", "salry BETWEEN 5 AND label ==").complaint.contains(
                "needs two bounds"))
        #expect(
            try check("--entity", "Person", "salry == 5 AND label ==").complaint.contains(
                "Expected a key path"))
    }
}
