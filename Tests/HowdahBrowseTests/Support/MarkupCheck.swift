import Foundation

/// Checks of a page's markup that need no browser.
struct MarkupCheck {
    private(set) var faults: [String] = []
    private var open: [String] = []
    private var ids: Set<String> = []
    private var labelled: Set<String> = []
    private var fields: [String] = []
    private static let empty: Set = ["meta", "link", "input", "img", "br", "rect", "path", "area"]

    init(_ page: String) {
        for tag in page.matches(of: /<(\/?)([a-zA-Z0-9]+)((?:\s+[a-zA-Z-]+(?:="[^"]*")?)*)\s*\/?>/) {
            read(String(tag.2).lowercased(), attributes: String(tag.3), isEnd: !tag.1.isEmpty)
        }
        if !open.isEmpty { faults.append("not closed: \(open.joined(separator: ", "))") }
        for field in fields where !labelled.contains(field) { faults.append("no label for \(field)") }
        for part in ["<h1>", "<main ", "lang=\"en\"", "<title>"] where !page.contains(part) {
            faults.append("no \(part)")
        }
    }

    private mutating func read(_ name: String, attributes text: String, isEnd: Bool) {
        if isEnd {
            if open.last == name {
                open.removeLast()
            } else {
                faults.append("</\(name)> in \(open.last ?? "")")
            }
            return
        }
        var attributes: [String: String] = [:]
        for match in text.matches(of: /([a-zA-Z-]+)(?:="([^"]*)")?/) {
            let key = String(match.1)
            if attributes.updateValue(String(match.2 ?? ""), forKey: key) != nil {
                faults.append("\(key) twice in <\(name)>")
            }
        }
        if let id = attributes["id"], !ids.insert(id).inserted { faults.append("id \(id) twice") }
        if attributes.keys.contains(where: { $0.hasPrefix("on") || $0 == "style" }) {
            faults.append("script or style in <\(name)>")
        }
        switch name {
        case "label": attributes["for"].map { _ = labelled.insert($0) }
        case "th" where attributes["scope"] == nil: faults.append("<th> without scope")
        case "img" where attributes["alt"] == nil, "area" where attributes["alt"] == nil:
            faults.append("<\(name)> without alt")
        case "script" where attributes["src"]?.contains("/browse.js?v=") == true: break
        case "script", "style", "iframe", "object": faults.append("<\(name)>")
        case "input", "select", "textarea":
            let isLabelled = open.contains("label") || attributes["type"] == "hidden"
            if !isLabelled { fields.append(attributes["id"] ?? "\(name) without id") }
        case "p" where open.contains("p"), "div" where open.contains("p"), "ul" where open.contains("p"):
            faults.append("<\(name)> in <p>")
        default: break
        }
        if !Self.empty.contains(name) { open.append(name) }
    }
}
