import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Objects that are found by their unique values, or inserted at once.
@Suite(.timeLimit(.minutes(60))) struct FindOrInsertTests {
    @Test func insertsOnceAndThenFinds() async throws {
        try await withTestStore(KeyLabel.model()) { container in
            let id = try await container.perform { context in
                let other = KeyLabel(context: context)
                other.name = "other"
                container.statementLog.start()
                let label = try context.findOrInsert(KeyLabel.self, by: \.name, "swift") {
                    $0.colour = "orange"
                }
                // A first save also takes keys from the sequence.
                #expect(container.statementLog.count <= 3)
                #expect(
                    !label.hasChanges && !label.isInserted && label.note == "hook" && label.version != nil)
                #expect(context.insertedObjects == [other], "other changes stay unsaved")
                container.statementLog.start()
                #expect(
                    try context.findOrInsert(KeyLabel.self, by: \.name, "SWIFT") { _ in
                        Issue.record("it exists")
                    } === label)
                #expect(container.statementLog.count == 1)
                let second = try context.findOrInsert(KeyLabel.self, by: \.name, "second")
                #expect(container.statementLog.count == 3)
                #expect(try context.findOrInsert(KeyLabel.self, by: \.name, "other") === other)
                #expect(container.statementLog.count == 3)
                context.delete(second)
                let error = #expect(throws: SaveError.self) {
                    _ = try context.findOrInsert(KeyLabel.self, by: \.name, "second")
                }
                #expect(error?.code == .uniqueness && error?.issues.first?.propertyName == "name")
                return label.objectID
            }
            try await container.perform { context in
                let stored = try context.fetch(KeyLabel.self)
                #expect(stored.map(\.name).sorted() == ["second", "swift"])
                let label = try context.findOrInsert(KeyLabel.self, by: \.name, "Swift")
                #expect(label.objectID == id && label.colour == "orange")
            }
        }
    }

    @Test func findsByAllMembersOfAConstraint() async throws {
        try await withTestStore(KeyLabel.model()) { container in
            try await container.perform { context in
                let label = try context.findOrInsert(KeyLabel.self, by: \.name, "a")
                let leaf = try context.findOrInsert(KeyLeaf.self, by: (\.number, 7), (\.label, label)) {
                    $0.text = "x"
                }
                #expect(leaf.label === label && leaf.number == 7)
                context.reset()
                let again = try context.existingObject(with: label.objectID as ObjectID<KeyLabel>)
                #expect(
                    try context.findOrInsert(KeyLeaf.self, by: (\.label, again), (\.number, 7)).text == "x")
                #expect(
                    try context.findOrInsert(KeyLeaf.self, by: (\.label, again), (\.number, 8)).text == "")
                #expect(again.leaves.count == 2)
                #expect(try context.count(for: FetchRequest<KeyLeaf>()) == 2)
            }
        }
    }

    @Test func concurrentCallersGetOneRow() async throws {
        try await withTestStore(KeyLabel.model()) { container in
            let ids = try await withThrowingTaskGroup(of: ObjectID<KeyLabel>.self) { group in
                for caller in 0..<40 {
                    group.addTask {
                        try await container.perform(isolation: caller % 2 == 0 ? .readCommitted : nil) {
                            context in
                            try context.findOrInsert(KeyLabel.self, by: \.name, "n\(caller % 5)") {
                                $0.colour = "\(caller)"
                            }.objectID
                        }
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(ids.count == 5)
            #expect(try await container.perform { try $0.count(for: FetchRequest<KeyLabel>()) } == 5)
        }
    }

    /// The other session inserts the row between the look and the insertion.
    @Test(arguments: [true, false]) func aRowOfTheMomentBetweenIsFound(isTransaction: Bool) async throws {
        try await withTestStore(KeyLabel.model()) { container in
            try await container.perform(isolation: isTransaction ? .readCommitted : nil) { context in
                let waiter = DispatchSemaphore(value: 0)
                let found = try context.findOrInsert(KeyLabel.self, by: \.name, "x") { _ in
                    Task {
                        try await container.perform { other in
                            _ = try other.findOrInsert(KeyLabel.self, by: \.name, "x") { $0.colour = "first" }
                        }
                        waiter.signal()
                    }
                    waiter.wait()
                }
                #expect(found.colour == "first" && context.insertedObjects.isEmpty)
                try context.save()
            }
            #expect(try await container.perform { try $0.count(for: FetchRequest<KeyLabel>()) } == 1)
        }
    }

    @Test func repeatableReadRunsAgain() async throws {
        try await withTestStore(KeyLabel.model()) { container in
            let runs = RunCounter()
            let colour = try await container.perform(
                isolation: .repeatableRead, retrying: .conflicts(upTo: 3)
            ) { context in
                runs.add()
                _ = try context.count(for: FetchRequest<KeyLabel>())
                if runs.count == 1 {
                    let waiter = DispatchSemaphore(value: 0)
                    Task {
                        try await container.perform { other in
                            _ = try other.findOrInsert(KeyLabel.self, by: \.name, "x") { $0.colour = "first" }
                        }
                        waiter.signal()
                    }
                    waiter.wait()
                    let error = #expect(throws: SaveError.self) {
                        _ = try context.findOrInsert(KeyLabel.self, by: \.name, "x")
                    }
                    #expect(error?.code == .serializationFailure)
                    if let error { throw error }
                }
                return try context.findOrInsert(KeyLabel.self, by: \.name, "x").colour
            }
            #expect(runs.count == 2 && colour == "first")
        }
    }

    @Test func failuresLeaveNothing() async throws {
        try await withTestStore(KeyLabel.model()) { container in
            try await container.perform(isolation: .readCommitted) { context in
                _ = try context.findOrInsert(KeyLabel.self, by: \.name, "a") { $0.code = 1 }
                for (code, colour) in [(1, "red"), (2, "far too long a colour")] {
                    let error = #expect(throws: SaveError.self) {
                        _ = try context.findOrInsert(KeyLabel.self, by: \.name, "b") {
                            ($0.code, $0.colour) = (code, colour)
                        }
                    }
                    #expect(error?.issues.map(\.propertyName) == [code == 1 ? "code" : "colour"])
                    #expect(error?.issues.map(\.entityName) == ["KeyLabel"])
                }
                #expect(throws: CocoaError.self) {
                    _ = try context.findOrInsert(KeyLabel.self, by: \.name, "b") { _ in
                        throw CocoaError(.fileNoSuchFile)
                    }
                }
                #expect(context.insertedObjects.isEmpty)
                try context.save()
                #expect(try context.fetch(KeyLabel.self).map(\.name) == ["a"])
            }
        }
    }

    @Test func aKeyThatTheClassChangesIsRefused() async throws {
        try await withTestStore(KeyLabel.model()) { container in
            try await container.perform { context in
                for (given, setUp) in [
                    (" a ", { _ in }), ("a", { $0.name = "b" }), ("a", { $0.name = " b" }),
                ] as [(String, (KeyTrimmed) -> Void)] {
                    let error = #expect(throws: SaveError.self) {
                        _ = try context.findOrInsert(KeyTrimmed.self, by: \.name, given, setUp: setUp)
                    }
                    #expect(error?.code == .validation && error?.issues.first?.propertyName == "name")
                    #expect(error?.message.contains("Nothing was stored") == true)
                    #expect(context.insertedObjects.isEmpty)
                }
                try #expect(context.count(KeyTrimmed.self) == 0)
                let trimmed = try context.findOrInsert(KeyTrimmed.self, by: \.name, "a")
                #expect(try context.findOrInsert(KeyTrimmed.self, by: \.name, "a") === trimmed)
            }
        }
    }

    @Test func aReadOnlyContainerOnlyFinds() async throws {
        try await withTestDatabase(for: KeyLabel.model()) { database in
            var options = StoreOptions()
            for isReadOnly in [false, true] {
                options.isReadOnly = isReadOnly
                let container = try await PersistentContainer.open(
                    database.url, model: KeyLabel.model(), options: options)
                try await container.perform { context in
                    let found = try context.findOrInsert(KeyLabel.self, by: \.name, "a")
                    #expect(found.name == "a" && !found.isInserted)
                    guard isReadOnly else { return }
                    container.statementLog.start()
                    let error = #expect(throws: SaveError.self) {
                        _ = try context.findOrInsert(KeyLabel.self, by: \.name, "b") { _ in
                            Issue.record("setUp was called")
                        }
                    }
                    #expect(error?.code == .readOnly && !context.hasChanges)
                    #expect(container.statementLog.count == 1)
                }
                await container.close()
            }
        }
    }

    @Test func otherEntitiesOfAHierarchyAreNamed() async throws {
        try await withTestStore(KeyLabel.model()) { container in
            try await container.perform { context in
                let big = try context.findOrInsert(KeyBigLabel.self, by: \.name, "big") { $0.size = 3 }
                #expect(try context.findOrInsert(KeyLabel.self, by: \.name, "big") === big)
                _ = try context.findOrInsert(KeyLabel.self, by: \.name, "plain")
                let error = #expect(throws: SaveError.self) {
                    _ = try context.findOrInsert(KeyBigLabel.self, by: \.name, "plain")
                }
                #expect(error?.code == .uniqueness)
                #expect(
                    error?.description.contains("KeyBigLabel.name") == true, "\(String(describing: error))")
                #expect(context.insertedObjects.isEmpty)
            }
        }
    }

    @Test func wrongRequestsAreRefused() async throws {
        try await withTestStore(KeyLabel.model()) { container in
            try await container.perform { context in
                let label = try context.findOrInsert(KeyLabel.self, by: \.name, "a")
                let unsaved = KeyLabel(context: context)
                unsaved.name = "unsaved"
                for (ask, words): (() throws -> Void, String) in [
                    (
                        { _ = try context.findOrInsert(KeyLabel.self, by: \.colour, "a") },
                        "uniqueness constraint over colour"
                    ),
                    (
                        { _ = try context.findOrInsert(KeyLabel.self, by: \.alias, nil) },
                        "KeyLabel.alias is nil"
                    ),
                    ({ _ = try context.findOrInsert(KeyLeaf.self, by: \.number, 1) }, "(label, number)"),
                    (
                        { _ = try context.findOrInsert(KeyLeaf.self, by: (\.label, unsaved), (\.number, 1)) },
                        "not saved"
                    ),
                    (
                        {
                            _ = try context.findOrInsert(KeyLabel.self, by: \.name, "b") {
                                $0.leaves.insert(KeyLeaf(context: context))
                            }
                        }, "KeyLabel.leaves cannot be set in findOrInsert"
                    ),
                ] {
                    let error = #expect(throws: FetchError.self) { try ask() }
                    #expect(error?.code == .invalidRequest)
                    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
                }
                let child = context.newChildContext()
                #expect(throws: FetchError.self) {
                    _ = try child.findOrInsert(KeyLabel.self, by: \.name, "a")
                }
                #expect(label.name == "a")
            }
        }
    }

    @Test("findOrInsert retries after a serialization failure outside of a transaction")
    func retriesAfterASerializationFailure() async throws {
        try await withTestDatabase(for: KeyLabel.model()) { database in
            let container = try await PersistentContainer.open(database.url, model: KeyLabel.model())
            let sql = PlainSQL(url: TestPooler.direct(database.url))
            try sql.rows("CREATE SEQUENCE tries")
            try sql.rows(
                """
                CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF nextval('public.tries') < 4 THEN RAISE EXCEPTION 'lost' USING ERRCODE = '40001'; END IF;
                RETURN NEW; END $$
                """)
            try sql.rows(
                "CREATE TRIGGER fail BEFORE INSERT ON key_label FOR EACH ROW EXECUTE FUNCTION fail()")
            let name = try await container.perform { context in
                try context.findOrInsert(KeyLabel.self, by: \.name, "a").name
            }
            #expect(name == "a")
            try sql.rows("ALTER SEQUENCE tries RESTART")
            // A transaction of the program's has an isolation that it chose.
            let error = await #expect(throws: SaveError.self) {
                try await container.perform(isolation: .serializable) { context in
                    _ = try context.findOrInsert(KeyLabel.self, by: \.name, "b")
                }
            }
            #expect(error?.code == .serializationFailure)
            await container.close()
        }
    }

    @Test func aRollbackMakesTheObjectUnsaved() async throws {
        try await withTestStore(KeyLabel.model()) { container in
            let handle = container.newBackgroundContext()
            await #expect(throws: CocoaError.self) {
                try await handle.perform(isolation: .readCommitted) { context in
                    _ = try context.findOrInsert(KeyLabel.self, by: \.name, "a") { $0.colour = "red" }
                    throw CocoaError(.fileNoSuchFile)
                }
            }
            #expect(try await container.perform { try $0.count(for: FetchRequest<KeyLabel>()) } == 0)
            try await handle.perform { context in
                #expect(context.insertedObjects.count == 1)
                try context.save()
            }
            #expect(try await container.perform { try $0.fetch(KeyLabel.self).map(\.colour) } == ["red"])
        }
    }
}

/// The number of runs of a body.
private final class RunCounter: @unchecked Sendable {
    private(set) var count = 0
    func add() { count += 1 }
}

@Entity private class KeyLabel: ManagedObject {
    @Attribute(.unique, .caseInsensitive) var name: String
    @Attribute(.unique) var alias: String?
    @Attribute(.unique) var code: Int?
    @Attribute(maximumLength: 10) var colour: String = "none"
    @Relationship(deleteRule: .cascade, inverse: "label") var leaves: ToMany<KeyLeaf>
    var note: String = ""

    override func willSave() {
        super.willSave()
        if note.isEmpty { note = "hook" }
    }

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(KeyLabel.self, KeyBigLabel.self, KeyLeaf.self, KeyTrimmed.self)
    }
}

@Entity private final class KeyBigLabel: KeyLabel {
    var size: Int = 0
}

@Entity(unique: [["label", "number"]]) private final class KeyLeaf: ManagedObject {
    var number: Int
    var text: String = ""
    @Relationship(inverse: "leaves") var label: KeyLabel?
}

/// Its hook normalizes the unique value.
@Entity private final class KeyTrimmed: ManagedObject {
    @Attribute(.unique) var name: String

    override func willSave() {
        super.willSave()
        let trimmed = name.trimmingCharacters(in: .whitespaces)
        if trimmed != name { name = trimmed }
    }
}
