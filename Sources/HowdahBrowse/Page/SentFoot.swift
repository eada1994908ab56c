import HowdahModel

/// The foot of a page: the statements that it sent, the plan, and the Swift code of the same fetch.
struct SentFoot {
    let page: Page

    var html: HTML {
        "\(code)\(sent)"
    }

    private var sent: HTML {
        if page.sent.isEmpty { return "" }
        // The plan says why a statement was stopped.
        let isOpen: HTML = page.sent.contains(where: \.isStopped) ? " open" : ""
        return """
            <details class="sent"\(isOpen)><summary>What was sent: \(summary)\(page.plan.isEmpty ? "" : ", and the plan")</summary>
            \(page.sent.map(statement))
            \(plan)
            </details>
            """
    }

    private var summary: String {
        let time = page.sent.reduce(Duration.zero) { $0 + $1.duration }
        let word = page.sent.count == 1 ? "statement" : "statements"
        return "\(page.sent.count) \(word), \(Self.milliseconds(time))"
    }

    private func statement(_ statement: SentStatement) -> HTML {
        let word = statement.rows == 1 ? "row" : "rows"
        let time = Self.milliseconds(statement.duration)
        let result = statement.isStopped ? "stopped after \(time)" : "\(time), \(statement.rows) \(word)"
        return """
            <pre><code>\(statement.sql)</code></pre>
            <p class="note">\(result)</p>

            """
    }

    private var plan: HTML {
        if page.plan.isEmpty { return "" }
        return """
            <h2>Plan</h2>
            <pre><code>\(page.plan.joined(separator: "\n"))</code></pre>
            """
    }

    private var code: HTML {
        guard let code = page.code else { return "" }
        return """
            <details class="code"><summary>The same fetch in Swift</summary>
            <pre><code>\(code)</code></pre>
            </details>

            """
    }

    /// Returns a duration in milliseconds with two digits after the point.
    static func milliseconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let hundredths = seconds * 100_000 + attoseconds / 10_000_000_000_000
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) ms"
    }
}
