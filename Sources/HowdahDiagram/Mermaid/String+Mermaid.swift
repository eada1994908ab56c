extension String {
    /// The name for a Mermaid label: what the notation could take for its own is written as a character entity.
    ///
    /// Spaces too, because `direction TB` means something wherever it stands.
    var mermaidEscaped: String {
        var result = ""
        for scalar in unicodeScalars {
            let isPlain =
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", "_", "?": true
                default: !scalar.isASCII && !scalar.properties.isWhitespace
                }
            if isPlain { result.unicodeScalars.append(scalar) } else { result += "#\(scalar.value);" }
        }
        return result
    }

    /// Whether the name can stand for a class as it is.
    var isMermaidIdentifier: Bool {
        guard let first = unicodeScalars.first, first.isASCII, first.properties.isAlphabetic else {
            return false
        }
        return unicodeScalars.allSatisfy {
            $0.isASCII && ($0.properties.isAlphabetic || "0"..."9" ~= $0 || $0 == "_")
        }
            && !Self.mermaidWords.contains(lowercased())
    }

    private static let mermaidWords: Set<String> = [
        "accdescr", "acctitle", "call", "callback", "class", "classdef", "classdiagram", "click", "cssclass",
        "default", "direction", "end", "graph", "href", "interface", "link", "namespace", "note", "o",
        "style",
        "subgraph", "title", "bt", "tb", "lr", "rl", "td",
    ]
}
