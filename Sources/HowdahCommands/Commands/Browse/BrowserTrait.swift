import Foundation

/// The way to the trait `Browser` from a folder: in a clone of Howdah, in a package that depends on it, or elsewhere.
struct BrowserTrait {
    /// The text that explains how you get `howdah browse`.
    let advice: String

    /// Looks for the package that has a folder.
    init(from folder: String) {
        let reason = "This build of howdah has no web server, because the trait Browser is off."
        var folder = URL(filePath: folder)
        while true {
            let manifest = folder.appending(path: "Package.swift")
            if let text = try? String(contentsOf: manifest, encoding: .utf8) {
                advice = "\(reason) \(Self.advice(for: text))"
                return
            }
            guard folder.pathComponents.count > 1 else { break }
            folder.deleteLastPathComponent()
        }
        advice = """
            \(reason) Change to the folder of your package and run:
                swift run howdah browse
            """
    }

    private static func advice(for manifest: String) -> String {
        // The names of several traits reach the compiler in a random order, and Browser includes the default trait.
        if manifest.contains("\"HowdahTool\"") {
            return """
                Run:
                    swift run --traits Browser howdah browse
                """
        }
        let line =
            dependency(in: manifest)
            ?? ".package(url: \"https://github.com/OWNER/howdah\", branch: \"main\", traits: [\"Browser\"]),"
        return """
            Change the dependency in Package.swift to:
                \(line)
            Then run:
                swift run howdah browse
            """
    }

    /// Returns the dependency on Howdah with the trait.
    private static func dependency(in manifest: String) -> String? {
        let pattern = /\.package\(\s*(?:[^()]|\([^()]*\))*?howdah(?:\.git)?"(?:[^()]|\([^()]*\))*\)/
        // A dependency that ends before Howdah's name is not matched, because parentheses are balanced.
        guard let found = manifest.matches(of: pattern).first else { return nil }
        let text = found.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            .replacing("( ", with: "(").replacing(" )", with: ")").replacing(",)", with: ")")
        guard let traits = text.firstMatch(of: /traits: \[[^\]]*\]/) else {
            return text.dropLast() + ", traits: [\"Browser\"]),"
        }
        let servers = ["Server", "ServiceLifecycle", "Configuration", "Telemetry", "All"]
        let needsAll = servers.contains { traits.output.contains("\"\($0)\"") }
        return text.replacingCharacters(
            in: traits.range, with: "traits: [\"\(needsAll ? "All" : "Browser")\"]") + ","
    }
}
