internal import Foundation
internal import HowdahGeneration

/// The file `howdah-model-config.json` of a target: `{ "access": "public" }`.
struct Configuration {
    let access: AccessLevel

    init(access: AccessLevel) { self.access = access }

    init(contentsOf url: URL) throws {
        let content: [String: String]
        do {
            content = try JSONDecoder().decode([String: String].self, from: Data(contentsOf: url))
        } catch {
            throw GenerateToolError(
                "\(url.path()) is not a JSON object of strings. Write for example { \"access\": \"public\" }."
            )
        }
        let unknown = content.keys.filter { $0 != "access" }.sorted()
        guard unknown.isEmpty else {
            throw GenerateToolError(
                "\(url.path()) has unknown keys: \(unknown.joined(separator: ", ")). Remove them, or use \"access\"."
            )
        }
        let word = content["access"] ?? AccessLevel.internal.rawValue
        guard let access = AccessLevel(rawValue: word) else {
            let levels = AccessLevel.allCases.map(\.rawValue).joined(separator: ", ")
            throw GenerateToolError(
                "\(url.path()): \"\(word)\" is not an access level. Use one of \(levels).")
        }
        self.access = access
    }
}
