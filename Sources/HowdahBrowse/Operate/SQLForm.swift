/// The form of the SQL page: a query, and the button that was pressed.
struct SQLForm {
    /// The use of a query.
    enum Action: String, CaseIterable {
        case run, plan, analyze, csv

        /// The text of the button.
        var name: String {
            switch self {
            case .run: "Run"
            case .plan: "Plan"
            case .analyze: "Plan with times"
            case .csv: "CSV"
            }
        }
    }

    /// The query without semicolons and comments at its end; empty if there is none.
    let query: String
    let action: Action
    /// The query as it was typed.
    private let typed: String

    init(query: String) { (self.query, typed, action) = (query, query, .run) }

    /// Reads the form of a request.
    ///
    /// - Throws: `BrowseError` for a repeated or unknown field, and for bytes that are not UTF-8.
    init(_ request: BrowseRequest) throws {
        guard let body = String(validating: request.body, as: UTF8.self), FormText.isText(body) else {
            throw BrowseError(400, "The form has bytes that are not UTF-8. Remove them.")
        }
        var fields: [String: String] = [:]
        for (name, value) in FormText.fields(of: body) {
            guard ["query", "as"].contains(name), fields.updateValue(value, forKey: name) == nil else {
                throw BrowseError(
                    400, "The form has another field than one 'query' and one 'as'. Send only these.")
            }
        }
        guard let action = Action(rawValue: fields["as"] ?? "run") else {
            throw BrowseError(400, "'as' is not run, plan, analyze or csv. Use one of these.")
        }
        let text = fields["query"] ?? ""
        guard !text.unicodeScalars.contains("\u{0}") else {
            throw BrowseError(400, "The query has the character U+0000. Remove the character.")
        }
        (query, typed, self.action) = (QueryText.trimmed(text), text, action)
    }

    /// Returns the markup, with an error of the server about the query.
    func html(_ links: Links, _ failure: String?) -> HTML {
        let state: HTML = failure == nil ? "" : " aria-invalid=\"true\" aria-describedby=\"fault\""
        let complaint: HTML =
            failure.map { "<p class=\"error\" id=\"fault\" role=\"alert\">\($0)</p>" } ?? ""
        let buttons = Action.allCases.map { action -> HTML in
            "<button name=\"as\" value=\"\(action.rawValue)\">\(action.name)</button>"
        }
        return """
            <form method="post" action="\(links.page("sql"))">
            <label for="query">Query</label>
            <textarea id="query" name="query" rows="6" spellcheck="false"\(state)>\(typed)</textarea>
            \(complaint)
            <p class="note">The query runs in a read-only transaction, which is rolled back. It ends after 2 s and \
            returns at most 1,000 rows. Functions that act outside of the transaction are not undone, such as \
            <code>dblink_exec</code> and <code>pg_terminate_backend</code>. The role decides which of them run. \
            <em>Plan</em> does not run the query, <em>Plan with times</em> does.</p>
            <p>\(buttons.joined(by: " "))</p>
            </form>
            """
    }

    /// Returns a Boolean value that indicates whether the text begins as a query does.
    var isQuery: Bool {
        let word = query.drop { !$0.isLetter }.prefix { $0.isLetter }.uppercased()
        return ["SELECT", "WITH", "VALUES", "TABLE"].contains(word)
    }
}
