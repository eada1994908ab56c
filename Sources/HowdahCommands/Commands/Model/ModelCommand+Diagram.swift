import ArgumentParser
import Foundation
import HowdahDiagram
import HowdahModelFile

extension ModelCommand {
    struct Diagram: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Draws a model: its entities, their inheritance, and relationships with delete rules.",
            discussion: "Equal models give equal drawings, so you can keep the drawing next to the model.")

        enum Format: String, ExpressibleByArgument, CaseIterable {
            case svg, mermaid
        }

        @OptionGroup var place: ModelPlace

        @Option(help: "The format: SVG for browsers, or Mermaid text for READMEs.")
        var format = Format.svg

        @Option(
            name: [.short, .long], help: "The file to write. Defaults to standard output.",
            completion: .file())
        var output: String?

        func validate() throws {
            if output == "" { throw ValidationError("--output is empty. Give the path of a file.") }
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
