extension FetchRequest {
    /// The request with a comment in its SQL that names this line and, where one is given, a label.
    ///
    /// The server's logs and `pg_stat_activity` then say where a statement comes from: `/* payroll Staff/Report.swift:12 */`.
    /// Anything in the label but letters and digits of ASCII, blanks and `_-.:/,=` becomes `_`. One call site sends one text,
    /// so that its statement stays prepared; a label that differs from call to call would be prepared each time.
    public func tagged(
        _ label: String = "", file: StaticString = #fileID, line: Int = #line
    ) -> FetchRequest {
        var request = self
        request.tag = [label, "\(file):\(line)"].filter { !$0.isEmpty }.joined(separator: " ")
        return request
    }

    /// The comment behind a statement; nothing in it can end it.
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
