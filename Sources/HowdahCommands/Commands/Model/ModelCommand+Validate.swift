import ArgumentParser
import HowdahModel
import HowdahModelFile

extension ModelCommand {
    struct Validate: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says what is wrong with a model, and what may bite later; everything at once.",
            discussion: "Exit status 1 where something is wrong; with --strict also where there are warnings."
        )

        @OptionGroup var place: ModelPlace

        @Flag(help: "Counts warnings as errors.")
        var strict = false

        @Flag(help: "Looks at all versions of a bundle.")
        var all = false

        func validate() throws {
            if all, place.versionName != nil {
                throw ValidationError("--all and --version exclude each other.")
            }
        }

        func run() throws {
            let file = try CommandError.explained { try place.file }
            let names: [String?] = all ? file.versions : [place.versionName]
            var errors = 0
            var warnings = 0
            for name in names {
                let prefix = all ? "\(name ?? ""): " : ""
                do {
                    let contents = try file.contents(version: name)
                    let model = contents.model
                    // The names of tables and columns may be wrong in a model that is sound otherwise.
                    _ = try StoreSchema(model)
                    let found = contents.warnings.map(\.description) + model.warnings.map(\.description)
                    for warning in found { print("\(prefix)\(strict ? "error" : "warning"): \(warning)") }
                    warnings += found.count
                    if !all { print(summary(of: model)) }
                } catch let error as ModelFileError where !error.issues.isEmpty {
                    for issue in error.issues { print("\(prefix)error: \(issue)") }
                    errors += error.issues.count
                } catch let error as ModelError {
                    for issue in error.issues { print("\(prefix)error: \(issue)") }
                    errors += error.issues.count
                } catch let error as ModelFileError {
                    print("\(prefix)error: \(error)")
                    errors += 1
                }
            }
            if all { print("\(file.versions.count) versions, \(errors) errors, \(warnings) warnings") }
            if errors > 0 || (strict && warnings > 0) { throw ExitCode.failure }
        }

        private func summary(of model: ManagedObjectModel) -> String {
            let properties = model.entities.flatMap(\.properties)
            let attributes = properties.count { $0.attribute != nil }
            return "valid: \(model.entities.count) entities, \(attributes) attributes, "
                + "\(properties.count - attributes) relationships"
        }
    }
}
