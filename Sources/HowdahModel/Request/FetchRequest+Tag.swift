extension FetchRequest {
    /// Returns the request with a comment in its SQL that names this line and, if you pass one, a label.
    ///
    /// The server's logs and `pg_stat_activity` then show the origin of a statement: `/* payroll
    /// Staff/Report.swift:12 */`. In the label, each character except letters and digits of ASCII, blanks and
    /// `_-.:/,=` becomes `_`.
    ///
    /// One call site always sends the same text, so its statement stays prepared. If a label differs from
    /// call to call, each statement is prepared again.
    public func tagged(
        _ label: String = "", file: StaticString = #fileID, line: Int = #line
    ) -> FetchRequest {
        var request = self
        request.tag = [label, "\(file):\(line)"].filter { !$0.isEmpty }.joined(separator: " ")
        return request
    }

    /// The comment after a statement. No character in it can end it.
    package var comment: String {
        guard let tag else { return "" }
        let kept = tag.unicodeScalars.prefix(200).map { scalar -> Character in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", " ", "_", "-", ".", ":", "/", ",", "=": Character(scalar)
            default: "_"
            }
        }
        return " /* \(String(kept)) */"
    }
}
