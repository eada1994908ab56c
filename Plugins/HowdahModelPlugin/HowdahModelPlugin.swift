import Foundation
import PackagePlugin

/// Generates the classes of every model in a target's folder before the target is compiled.
///
/// Models are `*.xcdatamodeld`, `*.xcdatamodel` and `*.howdahmodel.json`; each gives one file, which lies in the build
/// folder. `howdah-model-config.json` beside the sources says who may use the classes.
@main struct HowdahModelPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let tool = try context.tool(named: "HowdahGenerateTool").url
        let configuration = target.directoryURL.appending(path: "howdah-model-config.json")
        let isConfigured = FileManager.default.fileExists(atPath: configuration.path(percentEncoded: false))
        var names: Set<String> = []
        var commands: [Command] = []
        for model in models(in: target.directoryURL) {
            let name = name(of: model)
            guard names.insert(name.lowercased()).inserted else {
                Diagnostics.error(
                    "\(target.name) has two models called \(name). Rename one of them.")
                continue
            }
            let output = context.pluginWorkDirectoryURL.appending(path: "\(name).generated.swift")
            let arguments = [model, output] + (isConfigured ? [configuration] : [])
            commands.append(
                .buildCommand(
                    displayName: "Generating the classes of \(model.lastPathComponent)", executable: tool,
                    arguments: arguments.map { $0.path(percentEncoded: false) },
                    inputFiles: contents(of: model) + (isConfigured ? [configuration] : []),
                    outputFiles: [output]))
        }
        return commands
    }

    private static let suffixes = [".xcdatamodeld", ".xcdatamodel", ".howdahmodel.json"]

    private func name(of model: URL) -> String {
        let name = model.lastPathComponent
        let suffix = Self.suffixes.first(where: name.hasSuffix) ?? ""
        return String(name.dropLast(suffix.count))
    }

    /// The models in a folder and the folders in it, but not what models themselves consist of.
    private func models(in folder: URL) -> [URL] {
        let entries =
            (try? FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: [.isDirectoryKey], options: .skipsHiddenFiles)) ?? []
        return entries.sorted { $0.path() < $1.path() }.flatMap { entry -> [URL] in
            if Self.suffixes.contains(where: entry.lastPathComponent.hasSuffix) { return [entry] }
            let isFolder = (try? entry.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) ?? false
            return isFolder ? models(in: entry) : []
        }
    }

    /// The files that a model consists of, so that a change of any of them is noticed.
    private func contents(of model: URL) -> [URL] {
        guard
            let files = FileManager.default.enumerator(
                at: model, includingPropertiesForKeys: [.isRegularFileKey])
        else { return [model] }
        let list = files.compactMap { $0 as? URL }.filter {
            (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) ?? false
        }
        return list.isEmpty ? [model] : list.sorted { $0.path() < $1.path() }
    }
}
