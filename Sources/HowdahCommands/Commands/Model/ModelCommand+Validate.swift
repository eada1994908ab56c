import ArgumentParser
import HowdahMigration
import HowdahModel
import HowdahModelFile

extension ModelCommand {
    struct Validate: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Reports all errors in a model, and warnings about probable mistakes.",
            discussion: "The exit status is 1 if there are errors or, with --strict, warnings."
        )

        @OptionGroup var place: ModelPlace

        @Flag(help: "Treats warnings as errors.")
        var strict = false

        @Flag(help: "Validates all versions of a bundle.")
        var all = false

        func validate() throws {
            if all, place.versionName != nil {
                throw ValidationError("--all and --version exclude each other. Use one of them.")
            }
        }

        func run() throws {
            let file = try CommandError.explained { try place.file }
            let names: [String?] = all ? file.versions : [place.versionName]
            var errors = 0
            var warnings = 0
            for name in names {
                let prefix = all ? "\((name ?? "").printable): " : ""
                do {
                    let contents = try file.contents(version: name)
                    let model = contents.model
                    // The names of tables and columns may be wrong in a model that is sound otherwise.
                    let schema = try StoreSchema(model)
                    let found =
                        contents.warnings.map(\.description) + contents.otherWarnings.map(\.description)
                        + [LockDemand(schema).warning].compactMap(\.self)
                    for warning in found {
                        try Output.write("\(prefix)\(strict ? "error" : "warning"): \(warning.printable)")
                    }
                    warnings += found.count
                    if !all, strict, !found.isEmpty {
                        try Output.write(
                            "not valid with --strict: \(found.count.counted("warning", "warnings"))")
                    } else if !all {
                        try Output.write(summary(of: model))
                    }
                } catch let error as ModelError {
                    errors += try tell(error.issues.map(\.description), prefix)
                } catch let error as ModelFileError {
                    let found = error.warnings.map(\.description)
                    for warning in found {
                        try Output.write("\(prefix)\(strict ? "error" : "warning"): \(warning.printable)")
                    }
                    warnings += found.count
                    let faults = error.defects.map(\.description) + error.issues.map(\.description)
                    errors += try tell(faults.isEmpty ? [error.description] : faults, prefix)
                }
            }
            if all {
                try Output.write(
                    file.versions.count.counted("version", "versions") + ", "
                        + errors.counted("error", "errors") + ", "
                        + warnings.counted("warning", "warnings"))
            }
            if errors > 0 || (strict && warnings > 0) { throw ExitCode.failure }
        }

        private func summary(of model: ManagedObjectModel) -> String {
            let properties = model.entities.flatMap(\.properties)
            let attributes = properties.count { $0.attribute != nil }
            return "valid: " + model.entities.count.counted("entity", "entities") + ", "
                + attributes.counted("attribute", "attributes") + ", "
                + (properties.count - attributes).counted("relationship", "relationships")
        }

        private func tell(_ errors: [String], _ prefix: String) throws -> Int {
            for error in errors { try Output.write("\(prefix)error: \(error.printable)") }
            return errors.count
        }
    }
}
