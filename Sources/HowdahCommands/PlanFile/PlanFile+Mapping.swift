import Foundation
import HowdahMigration
import HowdahModel
import HowdahModelFile
import HowdahRuntime
import HowdahSchema
import HowdahStages

extension PlanFile {
    /// What a mapping runs as, compared with the models of its versions.
    ///
    /// - Throws: `CommandError` with the lines of everything that does not fit; `ModelFileError`.
    func mapping(
        _ mapping: PlanMapping, _ versions: [MigrationPath.Version]
    ) throws -> StageMapping? {
        guard let old = versions.first, let new = versions.last, let from = old.model, let to = new.model
        else { return nil }
        let model =
            switch mapping {
            case .file(let path, let line): try mappingModel(at: path, from, to, line: line)
            case .entities(let items, let line): try mappingModel(items, from, to, line: line)
            }
        return MappedMigrationStage(
            migratingFrom: ManagedObjectModelReference(versionChecksum: old.checksum),
            to: ManagedObjectModelReference(versionChecksum: new.checksum), mapping: model
        ).mappingOnItsSession
    }

    private func mappingModel(
        at path: String, _ old: ManagedObjectModel, _ new: ManagedObjectModel, line: Int
    ) throws -> MappingModel {
        let folder = url.deletingLastPathComponent()
        let model = try CommandError.asArgument {
            try MappingModel(contentsOf: URL(filePath: path, relativeTo: folder).absoluteURL)
        }
        let policies = model.entityMigrationPolicyClassNames
        guard policies.isEmpty else {
            throw faults([
                (
                    line,
                    "the mapping model \(path) names the migration policies \(policies.joined(separator: ", ")), which are classes "
                        + "of a program. Migrate with that program, see docs/operating-migrations.md"
                )
            ])
        }
        do {
            return try model.resolved(from: old, to: new)
        } catch {
            throw faults(error.issues.map { (line, "\(path): \($0.message)") })
        }
    }

    private func mappingModel(
        _ items: [PlanEntityMapping], _ old: ManagedObjectModel, _ new: ManagedObjectModel, line: Int
    ) throws -> MappingModel {
        var planned = PlannedMapping(items, ModelPairing(from: old, to: new), line: line)
        planned.fill()
        guard planned.faults.isEmpty else { throw faults(planned.faults) }
        func refusal(_ issues: [MappingIssue]) -> CommandError {
            faults(
                issues.map { (planned.line(of: $0.entityMapping, $0.propertyName), $0.message) })
        }
        let resolved: MappingModel
        do {
            resolved = try planned.mappingModel.resolved(from: old, to: new)
        } catch {
            throw refusal(error.issues)
        }
        // What Core Data leaves empty in its files is a mistake in a plan, which is written by hand.
        let unrelated = resolved.warnings(from: old, to: new).filter { $0.code == .unrelatedMapping }
        guard unrelated.isEmpty else { throw refusal(unrelated) }
        return resolved
    }

    private func faults(_ faults: [(line: Int, text: String)]) -> CommandError {
        let path = url.path(percentEncoded: false)
        let lines = faults.sorted { $0.line < $1.line }.map { fault in
            "line \(fault.line): \(fault.text)" + (".?".contains(fault.text.last ?? " ") ? "" : ".")
        }
        if lines.count == 1 { return CommandError("The plan \(path), \(lines[0])") }
        return CommandError(
            (["The plan \(path) has \(lines.count) errors in a mapping:"] + lines.map { "- \($0)" })
                .joined(separator: "\n"))
    }
}
