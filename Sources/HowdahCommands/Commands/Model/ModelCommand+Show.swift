import ArgumentParser
import HowdahModel
import HowdahModelFile

extension ModelCommand {
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the versions of a bundle, and the entities of one version.")

        @OptionGroup var place: ModelPlace

        func run() throws {
            let file = try CommandError.explained { try place.file }
            let contents = try place.contents()
            let shown = place.versionName ?? file.currentVersion
            if file.versions.count > 1 {
                try Output.write("\(file.versions.count) versions")
                for version in file.versions {
                    let notes = [
                        version == file.currentVersion ? "current" : nil, version == shown ? "shown" : nil,
                    ].compactMap { $0 }
                    try Output.write(
                        "  \(version)\(notes.isEmpty ? "" : "  (\(notes.joined(separator: ", ")))")")
                }
                try Output.write("")
            }
            try Output.write(ModelText(contents.model).text)
            contents.tellWarnings()
        }
    }
}
