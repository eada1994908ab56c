internal import HowdahSchema

/// What is wrong with a step in a transaction, and what avoids it.
struct LintFault: Hashable {
    let rule: LintFinding.Rule
    let message: String
    let idiom: String
    /// What is said instead where deferral does it; nil where it makes no difference.
    var deferredIdiom: String?

    /// Nil where the step is fine.
    init?(_ step: MigrationStep) {
        if step.rewritesTable {
            self.init(
                .rewrite, "every row is written anew while nobody can read the table",
                "add an attribute of the new type, copy in batches, and remove the old one in a later version"
            )
            return
        }
        guard step.check == nil,
            let fault = step.statements.lazy.compactMap({ LintFault(SQLShape($0)) }).first
        else { return nil }
        self = fault
    }

    private init(
        _ rule: LintFinding.Rule, _ message: String, _ idiom: String, deferred: String? = nil
    ) {
        self.rule = rule
        self.message = message
        self.idiom = idiom
        deferredIdiom = deferred
    }

    static let rename = LintFault(
        .rename, "programs of the version before ask for the old name and fail",
        "stop the old programs first, or keep the column's name in the model: @Attribute(column: \"…\"), in Xcode howdah.column in the user info"
    )

    private static let deployment =
        "deploy programs that do not use it first, and remove it from the model in a version after that"

    static let settingAside = LintFault(
        .drop,
        "programs of the version before that ask for it fail; its values are there until howdah migrate finish",
        deployment)

    private static let indexBuild = "an index is built while nobody can write"

    private init?(_ shape: SQLShape) {
        switch shape {
        case .drop:
            self.init(
                .drop, "what programs of the version before still ask for is gone, with its values",
                Self.deployment,
                deferred: Self.deployment
                    + "; with --defer it is only set aside, and its values are there until howdah migrate finish"
            )
        case .rename: self = .rename
        case .addCheck, .addForeignKey:
            self.init(
                .validation, "all rows are read while the table is locked",
                "ADD CONSTRAINT … NOT VALID in the transaction, VALIDATE CONSTRAINT afterwards, which lets writers go on",
                deferred:
                    "--defer: NOT VALID in the transaction, and VALIDATE CONSTRAINT by howdah migrate finish, which lets writers go on"
            )
        case .setNotNull:
            self.init(
                .scan, "all rows are read while nobody can use the table",
                "ADD CHECK (… IS NOT NULL) NOT VALID, VALIDATE CONSTRAINT, then SET NOT NULL, which reads nothing by then",
                deferred:
                    "--defer: a check that is NOT VALID in the transaction, validated by howdah migrate finish while others "
                    + "read and write, and NOT NULL by then without reading")
        case .addUnique:
            self.init(
                .indexInTransaction, Self.indexBuild,
                "CREATE UNIQUE INDEX CONCURRENTLY, then ADD CONSTRAINT … USING INDEX",
                deferred:
                    "--defer: CREATE UNIQUE INDEX CONCURRENTLY after the transaction, before apply returns")
        case .createIndex:
            self.init(
                .indexInTransaction, Self.indexBuild, "CREATE INDEX CONCURRENTLY after the transaction",
                deferred: "--defer: CREATE INDEX CONCURRENTLY after the transaction, by howdah migrate finish"
            )
        case .changeRows:
            self.init(
                .dataInTransaction, "rows are changed in the transaction that locks the table",
                "change them in batches of about 1,000 before, each in a transaction of its own, so that few are left",
                deferred: "--defer: in short batches after the transaction, before programs open the store")
        case .other: return nil
        }
    }
}
