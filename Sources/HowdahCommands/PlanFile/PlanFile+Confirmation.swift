import Foundation
import HowdahMigration
import HowdahModel

extension PlanFile {
    /// A name that neither of a stage's versions has is most likely misspelt.
    func checkConfirmations(of stage: Stage, along models: [ManagedObjectModel]) throws {
        let unknown = DropConfirmations(stage.confirmedDrops, along: models).unknown
        guard !unknown.isEmpty else { return }
        throw CommandError(
            "The plan \(url.path(percentEncoded: false)), line \(stage.line): "
                + UnknownNames.complaint(of: unknown, "confirmedDrops", models.count),
            code: "invalidPlan")
    }

    /// Tells what stages confirm and nothing asks for.
    func tellUnneededConfirmations() throws {
        for stage in stages where !stage.confirmedDrops.isEmpty {
            let models = try stage.versions.map(contents)
            for name in DropConfirmations(stage.confirmedDrops, along: models).unneeded {
                Output.tell(
                    "note: confirmedDrops \(name) of the stage \(stage.title) was not needed, because the stage does not drop \(name)"
                )
            }
        }
    }
}
