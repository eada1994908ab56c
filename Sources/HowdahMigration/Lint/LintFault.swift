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
                .rewrite, "every row is rewritten while no other session can read the table",
                "Add an attribute of the new type, copy the values in batches, and remove the old attribute in a later version."
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
        .rename, "programs of the previous version use the old name and fail",
        "Stop the old programs first, or keep the column's name in the model: @Attribute(column: \"…\"), in Xcode howdah.column in the user info."
    )

    private static let deployment =
        "If the removed property is required, give it a default first. Then deploy programs whose model does not have the "
        + "removed property or entity, with StoreOptions.accepting = .compatible. Migrate when the old programs have ended."

    static let settingAside = LintFault(
        .drop,
        "programs of the previous version that use the values fail; the values are kept until howdah migrate finish",
        deployment)

    private static let indexBuild = "an index is built while no other session can write"

    private init?(_ shape: SQLShape) {
        switch shape {
        case .drop:
            self.init(
                .drop, "the values are dropped, and programs of the previous version that use them fail",
                Self.deployment,
                deferred: Self.deployment
                    + " Use --defer to keep the values until howdah migrate finish."
            )
        case .rename: self = .rename
        case .addCheck, .addForeignKey:
            self.init(
                .validation, "all rows are read while the table is locked",
                "Use ADD CONSTRAINT … NOT VALID in the transaction, and VALIDATE CONSTRAINT after the transaction, which does not block writes.",
                deferred:
                    "Use --defer: the transaction adds the constraint as NOT VALID, and howdah migrate finish runs VALIDATE CONSTRAINT, which does not block writes."
            )
        case .setNotNull:
            self.init(
                .scan, "all rows are read while no other session can use the table",
                "Use ADD CHECK (… IS NOT NULL) NOT VALID, VALIDATE CONSTRAINT, then SET NOT NULL, which then reads no rows.",
                deferred:
                    "Use --defer: the transaction adds a check that is NOT VALID. Then howdah migrate finish validates it while "
                    + "other sessions read and write, and sets NOT NULL without reading rows.")
        case .addUnique:
            self.init(
                .indexInTransaction, Self.indexBuild,
                "Use CREATE UNIQUE INDEX CONCURRENTLY, then ADD CONSTRAINT … USING INDEX.",
                deferred:
                    "Use --defer, which runs CREATE UNIQUE INDEX CONCURRENTLY after the transaction, before apply returns."
            )
        case .createIndex:
            self.init(
                .indexInTransaction, Self.indexBuild, "Use CREATE INDEX CONCURRENTLY after the transaction.",
                deferred:
                    "Use --defer, so that howdah migrate finish runs CREATE INDEX CONCURRENTLY after the transaction."
            )
        case .changeRows:
            self.init(
                .dataInTransaction, "rows are changed in the transaction that locks the table",
                "Change the rows before the migration, in batches of about 1,000 and in separate transactions, so that few are left.",
                deferred:
                    "Use --defer: apply changes the rows in short batches after the transaction. Programs of the new version cannot open the store until then."
            )
        case .other: return nil
        }
    }
}
