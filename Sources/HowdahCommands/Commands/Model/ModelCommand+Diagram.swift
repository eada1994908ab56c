import ArgumentParser
import Foundation
import HowdahDiagram
import HowdahModelFile

extension ModelCommand {
    struct Diagram: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Draws a model: entities as boxes, inheritance, and relationships with their delete rules.",
            discussion: "The drawing is the same each time, so that it can be kept beside the model.")

        enum Format: String, ExpressibleByArgument, CaseIterable {
            case svg, mermaid
        }

        @OptionGroup var place: ModelPlace

        @Option(help: "An SVG for browsers, or Mermaid's text for READMEs.")
        var format = Format.svg

        @Option(name: [.short, .long], help: "A file to write to, instead of standard output.")
        var output: String?

        func validate() throws {
            if output == "" { throw ValidationError("--output is not empty.") }
        }

        func run() throws {
            let contents = try place.contents()
            let diagram = ModelDiagram(contents.model)
            let text = format == .svg ? diagram.svg : diagram.mermaid
            if let output {
                try CommandError.writing(output) { try Data(text.utf8).write(to: URL(filePath: output)) }
            } else {
                try Output.write(text)
            }
            contents.tellWarnings()
        }
    }
}
