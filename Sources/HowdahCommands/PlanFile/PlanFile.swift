import Foundation
import HowdahMigration
import HowdahModel
import HowdahModelFile

/// A migration plan in YAML: versions in files, stages between them, handlers in SQL.
struct PlanFile {
    /// A version of a model, where it is and what it must be.
    struct Version: Hashable {
        /// The path of the model, from the plan's folder.
        let model: String
        /// The version in the bundle; nil for the current one.
        let version: String?
        /// The checksum that the model must have; nil where it is not compared.
        let checksum: String?

        /// What messages and `--version` call it.
        var name: String {
            version ?? URL(filePath: model).deletingPathExtension().lastPathComponent
        }
    }

    /// From versions to versions.
    struct Stage: Hashable {
        let label: String?
        let kind: StagedMigrationPlan.Kind
        let versions: [Version]
        let willMigrate: String?
        let didMigrate: String?
        let confirmedDrops: [String]
        /// How objects become others, where that is not inferred.
        var mapping: PlanMapping?
        /// Where it begins in the file, from 1.
        let line: Int

        /// What lists call it.
        var title: String {
            label ?? "\(versions.first?.name ?? "") → \(versions.last?.name ?? "")"
        }
    }

    let url: URL
    /// The model that versions given by their names alone are of.
    let model: String?
    let stages: [Stage]

    /// Reads the file; models are read when they are asked for.
    ///
    /// - Throws: `CommandError` with the line.
    init(at path: String) throws {
        let url = URL(filePath: path)
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandError(
                "Cannot read the plan \(path). Check that the path names a file.", code: "unreadable",
                status: CommandError.usage)
        }
        try self.init(String(decoding: data, as: UTF8.self), at: url)
    }

    init(_ text: String, at url: URL) throws {
        self.url = url
        let reader = PlanFileReader(path: url.path(percentEncoded: false))
        (model, stages) = try reader.read(text)
    }

    /// The stages with their models, each read and its checksum compared.
    ///
    /// - Throws: `MigrationError`; `ModelFileError`; `CommandError`.
    func path(schemaName: String) throws -> MigrationPath {
        try MigrationPath(stages.map { try listedStage($0, schemaName) })
    }

    func listedStage(_ stage: Stage, _ schemaName: String) throws -> MigrationPath.ListedStage {
        let versions = try stage.versions.map(resolved)
        try checkConfirmations(of: stage, along: versions.compactMap(\.model))
        return MigrationPath.ListedStage(
            stage.kind, versions, label: stage.label,
            handlers: StageHandlers(
                willMigrate: stage.willMigrate.map { SQLHandler($0, schemaName: schemaName).run },
                didMigrate: stage.didMigrate.map { SQLHandler($0, schemaName: schemaName).run }),
            confirmedDrops: Set(stage.confirmedDrops),
            mapping: try stage.mapping.flatMap { try mapping($0, versions) })
    }

    /// The model of a version of that name, the last one where none is given.
    func target(named name: String?) throws -> ManagedObjectModel {
        let versions = stages.flatMap(\.versions)
        guard let version = name == nil ? versions.last : versions.last(where: { $0.name == name }) else {
            var names: [String] = []
            for version in versions where !names.contains(version.name) { names.append(version.name) }
            throw CommandError(
                "The plan has no version \"\(name ?? "")\". Use one of these: \(names.joined(separator: ", ")).",
                code: "unknownVersion", status: CommandError.usage)
        }
        return try contents(version)
    }

    private func resolved(_ version: Version) throws -> MigrationPath.Version {
        let model = try contents(version)
        let checksum = model.versionChecksum
        if let expected = version.checksum, expected != checksum {
            throw MigrationError(
                .checksumMismatch,
                "The model of the version \(version.name) has the checksum \(checksum), but the plan expects \(expected). "
                    + "The model was edited later. Restore the model file \(version.model) from version control, and make the change in a "
                    + "new version.")
        }
        return MigrationPath.Version(name: version.name, checksum: checksum, model: model)
    }

    func contents(_ version: Version) throws -> ManagedObjectModel {
        let folder = url.deletingLastPathComponent()
        return try CommandError.asArgument {
            let file = try ModelFile(at: URL(filePath: version.model, relativeTo: folder).absoluteURL)
            return try file.contents(version: version.version).model
        }
    }
}
