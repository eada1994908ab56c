/// The methods of key-value coding that expressions may call by FUNCTION: those that read one value.
///
/// Source: `value(forKey:)` and `value(forKeyPath:)` of `NSKeyValueCoding`.
package enum KeyedSelector: String, Hashable, Sendable, CaseIterable {
    case key = "valueForKey:"
    case keyPath = "valueForKeyPath:"

    /// Returns the keys in a text.
    package func keys(of text: String) -> [String] {
        switch self {
        case .key: [text]
        case .keyPath: text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        }
    }
}
