import Testing

@testable import HowdahBrowse

/// A reader who follows each link of each page.
struct Crawl {
    let site: BrowseSite
    let gate: BrowseGate?

    /// Returns the status of each address that the pages link to, from the first page on.
    func statuses(limit: Int = 1_000) async throws -> [(target: String, status: Int)] {
        var open = ["/"]
        var seen: Set<String> = ["/"]
        var found: [(target: String, status: Int)] = []
        while let target = open.popLast(), found.count < limit {
            let request = gate.map { $0.request(target) } ?? BrowseRequest(target: target)
            let response = await site.respond(to: request)
            let text = try await response.text()
            found.append((target, response.status))
            guard response.header("Content-Type")?.hasPrefix("text/html") == true else { continue }
            var narrowed = 0
            for link in text.matches(of: /(?:href|src)="(\/[^"]*)"/) {
                // Each value narrows the filter, and the narrowed list has values again.
                if target.hasPrefix("/values/"), link.1.contains("where=") || link.1.contains("of=") {
                    narrowed += 1
                    if narrowed > 3 || target.contains("where=") { continue }
                }
                // The part after # stays in the browser.
                let address = String(link.1.prefix { $0 != "#" }).replacing("&amp;", with: "&").replacing(
                    "&quot;", with: "\"")
                if seen.insert(address).inserted { open.append(address) }
            }
        }
        return found
    }
}
