internal import Foundation

extension Value {
    /// Returns the value as it is compared under `options`. Texts, also in arrays and URLs, are folded.
    package func folded(_ options: PredicateTree.Options) -> Value {
        guard !options.folding.isEmpty else { return self }
        return switch self {
        case .string(let string): .string(Folding.folded(string, options))
        case .uri(let url): .string(Folding.folded(url.absoluteString, options))
        case .array(let elements): .array(elements.map { $0.folded(options) })
        case .composite(let elements): .composite(elements.map { $0.folded(options) })
        default: self
        }
    }
}
