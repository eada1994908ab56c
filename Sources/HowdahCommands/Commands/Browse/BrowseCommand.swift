import ArgumentParser
import Foundation
import HowdahRuntime

#if Browser || All
import HowdahBrowse
import HowdahBrowseServer
import HowdahModelFile
import Synchronization
#endif

/// `howdah browse`: the pages of a store, for one reader on this machine.
struct BrowseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browse",
        abstract: "Shows a store in your web browser: objects, structure, migrations and locks.",
        discussion: """
            You need no model, because a store contains its own. Tables without a store are shown with a model that \
            is made from them. Nothing is created or changed. The server listens only at 127.0.0.1. The printed \
            address works once, and then belongs to the browser that opened it. Stop the server with Control-C.

            The command needs the trait Browser of the package. Without it, the command prints how you add the trait.
            """)

    @OptionGroup var address: StoreAddress

    @Option(help: "The port of the server. Defaults to a free one.")
    var port = 0

    @Option(
        name: .customLong("model"),
        help: ArgumentHelp(
            "A model to which the page of migrations shows the plan: an .xcdatamodeld, an .xcdatamodel, or a model in canonical JSON.",
            valueName: "path"), completion: .file())
    var modelPath: String?

    @Option(name: .customLong("version"), help: ModelChoice.versionHelp)
    var versionName: String?

    @Flag(help: "Opens the address in your default browser.")
    var open = false

    func validate() throws {
        if !(0...65_535).contains(port) {
            throw ValidationError("--port is out of range. Use a number from 0 to 65535.")
        }
        if modelPath?.isEmpty == true { throw ValidationError("--model is empty. Give the path of a model.") }
        if versionName != nil, modelPath == nil {
            throw ValidationError("--version names a version of a model, and no model is given. Add --model.")
        }
    }

    #if Browser || All
    func run() async throws {
        let url = try address.url
        let server = try BrowseServer(
            of: url, options: StoreCommand.options(schema: address.schema), port: port, target: target())
        let opens = open
        let opened = Mutex<OpeningFile?>(nil)
        defer { opened.withLock { $0 }?.remove() }
        do {
            try await server.run { page in
                try Output.write(page)
                guard opens else { return }
                guard let file = try? OpeningFile(leadingTo: page) else { return Self.tellToOpen() }
                opened.withLock { $0 = file }
                Self.show(file.path)
            }
        } catch let error as BrowseServerError {
            throw CommandError(
                error.isInUse
                    ? "Another program uses port \(error.port). Choose another port, or omit --port."
                    : "The server cannot listen at port \(error.port) of 127.0.0.1. Choose another port, or omit --port.",
                code: "portUnavailable")
        } catch {
            throw CommandError.explanation(of: error)
        }
    }

    /// The model to which a migration is planned.
    private func target() throws -> BrowseTarget? {
        guard let modelPath else { return nil }
        let contents = try ModelFile.contents(of: modelPath, version: versionName)
        contents.tellWarnings()
        let versions = (try? MigrationTarget.versions(of: modelPath)) ?? []
        let file = URL(filePath: modelPath).lastPathComponent
        return BrowseTarget(
            contents.model, named: versionName.map { "\($0) of \(file)" } ?? file, versions: versions)
    }

    private static func show(_ file: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        #if os(macOS)
        process.arguments = ["open", file]
        #else
        process.arguments = ["xdg-open", file]
        #endif
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.terminationHandler = { ended in
            if ended.terminationStatus != 0 { tellToOpen() }
        }
        do { try process.run() } catch { tellToOpen() }
    }

    private static func tellToOpen() {
        Output.tell("No browser could be started. Open the printed address yourself.")
    }
    #else
    func run() async throws {
        let place = BrowserTrait(from: FileManager.default.currentDirectoryPath)
        Output.tellLines("Error: \(place.advice)")
        throw ExitCode(CommandError.usage)
    }
    #endif
}
