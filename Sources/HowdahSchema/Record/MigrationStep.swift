/// One thing that a migration does, or looks at before it goes on.
public struct MigrationStep: Hashable, Sendable, Codable {
    /// When a step runs.
    public enum Execution: String, Hashable, Sendable, Codable {
        /// In the stage's transaction.
        case immediate
        /// After it, before the model relies on it, without locking others out.
        case online
        /// Whenever there is time.
        case deferred
    }

    /// Why the step is there: the change of the model, in words.
    public let reason: String
    /// The tables that it alters, writes or reads, by their names in the old store; new ones by their new name.
    public let tables: [String]
    /// The statements, in order.
    public let statements: [String]
    /// How it locks what it alters or writes.
    public let lock: LockLevel
    /// How it locks its tables for a moment at the end, where that is more; nil elsewhere.
    public let lastLock: LockLevel?
    /// Whether the server writes every row of a table anew.
    public let rewritesTable: Bool
    /// Whether it holds rows to a rule of the new model, by looking or for good. In a stage with a didMigrate handler such
    /// steps come after the handler, which may put rows right.
    public let isRule: Bool
    /// When it runs.
    public let execution: Execution
    /// Where the step is a look at the rows: the entity whose objects it finds, and what is wrong with them and what
    /// to do. Its only statement gives keys, how many there are, and, if `check` is about several entities, the entity of
    /// each; no row means that all is well.
    public let check: Check?
    /// Which part of a stage's mapping the step is, counted from 0; nil for all other steps. What runs it is the program,
    /// not the plan: its statements are there to be read.
    package let pass: Int?
    /// The table that the step deletes rows from because they move to another one, by its name in the old store; nil for all
    /// other steps.
    package let departure: String?

    /// How a step that is not immediate goes about it; nil where its statements are one short transaction.
    public let work: Work?
    /// Where the server may refuse a step that is not immediate because of the rows: the statement that finds them, whose
    /// answer is as that of a look.
    public let violationQuery: String?

    /// How a step that takes long keeps others waiting for a moment at most, and goes on where it was cut off.
    public enum Work: Hashable, Sendable, Codable {
        /// The first statement makes the index of this name outside of transactions; the others are a short transaction.
        case index(String)
        /// The first statement is a transaction of its own, which can be repeated; the others are a short one.
        case validation
        /// The statement is for rows whose key is above the first parameter and at most the second: a table, and its key.
        case batches(table: String, key: String)
    }
    /// About how many rows its tables had when a plan was made for a store; nil where none was asked, or it does not know.
    public package(set) var estimatedRows: Int?

    /// What a step that only looks is about.
    public struct Check: Hashable, Sendable, Codable {
        /// The entity whose objects are found.
        public let entityName: String
        /// What is wrong with them.
        public let fault: String
        /// What to do, as a sentence without its end.
        public let remedy: String

        private enum CodingKeys: String, CodingKey {
            case entityName = "entity"
            case fault, remedy
        }

        package init(entityName: String, fault: String, remedy: String) {
            self.entityName = entityName
            self.fault = fault
            self.remedy = remedy
        }

        /// What is said of the objects with these keys, examples of `count`.
        package func message(_ keys: [Int64], of count: Int64) -> String {
            message(keys.map { (nil, $0) }, of: count)
        }

        /// What is said of these objects, examples of `count`: the entity if it is not `entity`, and the key.
        ///
        /// - Parameter aftermath: the state of the store, as a sentence without its end; nil to leave it out.
        package func message(
            _ objects: [(entity: String?, key: Int64)], of count: Int64, aftermath: String? = nil
        ) -> String {
            let examples = objects.map { "\($0.entity ?? entityName) \($0.key)" }.joined(separator: ", ")
            return "\(fault): \(count) \(count == 1 ? "object" : "objects") (\(examples)"
                + "\(count > objects.count ? ", …" : "")). \(aftermath.map { "\($0). " } ?? "")\(remedy)."
        }
    }

    /// Pending steps are kept in stores with these names.
    private enum CodingKeys: String, CodingKey {
        case reason, tables, statements, lock, lastLock, rewritesTable, isRule, execution, check, pass,
            departure, work
        case violationQuery = "look"
        case estimatedRows
    }

    package init(
        _ reason: String, on tables: [String], _ statements: [String], lock: LockLevel,
        rewritesTable: Bool = false, isRule: Bool = false, check: Check? = nil, pass: Int? = nil,
        execution: Execution = .immediate, work: Work? = nil, violationQuery: String? = nil,
        departure: String? = nil
    ) {
        self.reason = reason
        self.tables = tables
        self.statements = statements
        self.lock = lock
        lastLock = work != nil && statements.count > 1 && lock != .accessExclusive ? .accessExclusive : nil
        self.rewritesTable = rewritesTable
        self.isRule = isRule
        self.execution = execution
        self.check = check
        self.pass = pass
        self.work = work
        self.violationQuery = violationQuery
        self.departure = departure
    }
}
