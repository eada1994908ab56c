extension FetchRequest {
    /// Returns the request with a comment in its SQL that names this line and, if you pass one, a label.
    ///
    /// The server's logs and `pg_stat_activity` then show the origin of a statement: `/* payroll
    /// Staff/Report.swift:12 */`. The label keeps letters and digits of ASCII, blanks and `_-.:/,=`. Other
    /// characters become `_`, several blanks become one, and characters after the first 100 are left out.
    ///
    /// One call site always sends the same text, so its statement stays prepared. If a label differs from
    /// call to call, each statement is prepared again.
    public func tagged(
        _ label: String = "", file: StaticString = #fileID, line: Int = #line
    ) -> FetchRequest {
        // The last word of a tag is its line.
        let place = TagText.kept("\(file)").replacing(" ", with: "_").suffix(TagText.longestPlace)
        var request = self
        request.tag = [TagText.label(label), "\(place):\(line)"].filter { !$0.isEmpty }.joined(separator: " ")
        return request
    }

    /// The comment after a statement. No character in it can end it.
    package var comment: String { tag.map { " /* \($0) */" } ?? "" }
}

/// The texts of a tag: one line of harmless characters, which is not longer than a report and a log can show.
private enum TagText {
    static let longestPlace = 200
    private static let longestLabel = 100

    static func label(_ label: String) -> String {
        // More than are shown are kept, because blanks are left out.
        let words = kept(label.unicodeScalars.prefix(10 * longestLabel)).split(separator: " ")
        let text = words.joined(separator: " ").prefix(longestLabel)
        return text.last == " " ? String(text.dropLast()) : String(text)
    }

    static func kept(_ text: String) -> String { kept(text.unicodeScalars.prefix(.max)) }

    /// Returns the scalars of which no comment, line or label can consist of more than one character.
    private static func kept(_ scalars: Substring.UnicodeScalarView) -> String {
        String(
            scalars.map { scalar -> Character in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", " ", "_", "-", ".", ":", "/", ",", "=":
                    Character(scalar)
                default: "_"
                }
            })
    }
}
