import HowdahModel
import HowdahRuntime

/// An error in the filter of a table, with its place and a corrected text.
struct FilterFault: Sendable {
    let message: String
    /// The text before the offending token, the token, and the text after it; nil if the place is unknown.
    let parts: (before: String, token: String, after: String)?
    /// The filter with the property that was probably meant.
    let mended: String?
    /// The number of texts in which `mended` looks for the words of the filter; nil for another filter.
    let searchedCount: Int?
    /// The subentities whose objects the filter can find, because they have the property.
    let subentities: [String]

    /// Finds the fault of a filter that does not parse, or names a property that the model does not have.
    ///
    /// - Parameter error: The error of the parser or of the fetch.
    init(
        _ error: PredicateTreeError, in filter: String, of entity: String, _ guide: ModelGuide,
        _ preview: PreviewStore?
    ) {
        let token = error.token ?? ""
        let unknown = Self.unknown(token, in: filter, of: entity, preview)
        var subentities: [String] = []
        if let unknown, case .subentity = unknown.suggestion, unknown.knownKeys == 0 {
            // Its other names are also those of the subentity.
            let tree = try? PredicateTree(filter: filter)
            subentities = guide.model.descendants(of: entity).map(\.name).filter { below in
                guard below != entity, guide.model.property(named: token, of: below) != nil else {
                    return false
                }
                return preview == nil || (try? preview?.fetch(below, where: tree)) != nil
            }
            // Those of a subentity that is listed are in its table.
            let listed = Set(subentities)
            subentities.removeAll { name in
                guide.model.lineage(of: name).dropFirst().contains { listed.contains($0.name) }
            }
        }
        self.subentities = subentities
        message = Self.message(of: error, in: filter, of: entity, guide, subentities)
        /// Returns a filter that a fetch accepts.
        func valid(_ text: String?) -> String? {
            guard let text, let preview else { return text }
            return (try? preview.fetch(entity, where: PredicateTree(filter: text))) == nil ? nil : text
        }
        let respelled =
            valid(Self.respelled(filter, error, of: entity, guide))
            ?? valid(Self.quoted(filter, of: entity, guide))
        let search = WordSearch(filter, of: entity, guide)
        let dates = try? FilterDates(filter)
        var place = error.position.map { dates?.typed($0) ?? $0 }
        if place == nil, !token.isEmpty { place = Self.position(of: token, in: filter) }
        guard let place, place <= filter.utf8.count else {
            (parts, mended) = (nil, respelled ?? search?.filter)
            searchedCount = respelled == nil ? search?.textCount : nil
            return
        }
        let bytes = Array(filter.utf8)
        let end = min(bytes.count, place + token.utf8.count)
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        let parts = (text(0..<place), text(place..<end), text(end..<bytes.count))
        self.parts = parts
        // A name that is mended may leave another fault, which is shown next.
        let corrected =
            respelled
            ?? Self.suggestion(for: token, unknown, of: entity, guide).map {
                parts.0 + PredicateTree.filterPath($0) + parts.2
            }
        mended = corrected ?? search?.filter
        searchedCount = corrected == nil ? search?.textCount : nil
    }

    /// Returns the words of an error, with a remedy that can be typed in a filter.
    private static func message(
        of error: PredicateTreeError, in filter: String, of entity: String, _ guide: ModelGuide,
        _ subentities: [String]
    ) -> String {
        var message = error.message.replacing(
            "Compare it with an ObjectID.",
            with: "Compare one of its attributes, or open the object, and its list from there.")
        if let token = error.token,
            let name = guide.columns(of: entity).first(where: { $0.uppercased() == token.uppercased() })
        {
            message = message.replacing("#\(token.uppercased())", with: "#\(name)")
        }
        if subentities.count > 1 {
            message = message.replacing(
                /Use its sub-entity .*, which has that property\./, with: "Several sub-entities have it.")
        }
        let words = filter.prefix(DayFilter.longest).split {
            !$0.isLetter && !$0.isNumber && $0 != "." && $0 != "_"
        }
        if !words.contains(where: { guide.attribute(at: String($0), of: entity)?.type.kind == .boolean }) {
            message = message.replacing(" Write a Boolean property as isActive == TRUE.", with: "")
        }
        let comparison = /([\w.]+)\s*(?:==?|!=|<=?|>=?)\s*["'\d]/
        // Another part of the filter may have a correct date.
        guard message.contains("cannot be compared with"), filter.utf8.count <= DayFilter.longest,
            filter.matches(of: comparison).contains(where: { match in
                message.contains(match.1)
                    && guide.attribute(at: String(match.1), of: entity)?.type.kind == .date
            })
        else { return message }
        return message + " A date is written as 2026-11-29 or 2026-11-29T10:00:00Z, without quotation marks."
    }

    /// Returns the filter with nil for the words of SQL, dates without quotation marks, straight quotation marks, and numbers
    /// without commas; nil if the result is invalid or the same.
    private static func respelled(
        _ filter: String, _ error: PredicateTreeError, of entity: String, _ guide: ModelGuide
    ) -> String? {
        guard filter.utf8.count <= DayFilter.longest else { return nil }
        var text = filter
        if (try? PredicateTree(filter: filter)) == nil {
            text = text.replacing(/[“”„‟]/, with: "\"")
            // Each pass removes every second comma of a number.
            for _ in 0..<2 where !text.contains("{") {
                text = text.replacing(/(\d),(\d{3})(?!\d)/) { "\($0.1)\($0.2)" }
            }
            if !text.filter({ $0 == "\"" }).count.isMultiple(of: 2) { text += "\"" }
        }
        // A year alone.
        text = text.replacing(/([\w.]+)(\s*(?:<=?|>=?)\s*)(\d{4})(?![\d.-])/) { match in
            guide.attribute(at: String(match.1), of: entity)?.type.kind == .date
                ? "\(match.0)-01-01" : "\(match.0)"
        }
        if error.message.contains("cannot be compared with a String") {
            text = text.replacing(/"(\d{4}-\d\d-\d\d[0-9T :.Z+-]*)"/) { $0.1 }
            // The objects of the day are meant.
            text = DayFilter(text, of: entity, guide)?.text ?? text
        } else if (try? PredicateTree(filter: text)) == nil {
            text = withoutSQL(text)
        }
        text = text.replacing(/([\w.]+)\s+BEGINSWITH\s+"(\d{4}-\d\d-\d\d)"/.ignoresCase()) { match in
            guard guide.attribute(at: String(match.1), of: entity)?.type.kind == .date else {
                return "\(match.0)"
            }
            let day = "\(match.1) == \(match.2)"
            return DayFilter(day, of: entity, guide)?.text ?? day
        }
        return text != filter && (try? PredicateTree(filter: text)) != nil ? text : nil
    }

    /// Returns a filter with nil, sets and patterns as predicates have them, from one in the words of SQL.
    private static func withoutSQL(_ filter: String) -> String {
        filter.replacing(/\s+is\s+not\s+(?:null|nil)\b/.ignoresCase(), with: " != nil")
            .replacing(/\s+is\s+(?:null|nil)\b/.ignoresCase(), with: " == nil")
            .replacing(/\bin\s*\(([^()]*)\)/.ignoresCase()) { "IN {\($0.1)}" }
            .replacing(/\bilike\s+(["'])(%?)([^"'%]*)(%?)\1/.ignoresCase()) { match in
                let test =
                    switch (match.2.isEmpty, match.4.isEmpty) {
                    case (false, false): "CONTAINS[c]"
                    case (true, false): "BEGINSWITH[c]"
                    case (false, true): "ENDSWITH[c]"
                    case (true, true): "==[c]"
                    }
                return "\(test) \"\(match.3)\""
            }
    }

    /// Returns a comparison of a text property with the value in quotation marks; nil for other filters.
    private static func quoted(_ filter: String, of entity: String, _ guide: ModelGuide) -> String? {
        let form = /\s*([\w.]+)\s*(==|=|!=|contains|beginswith|endswith|like)(\[cd?\])?\s*([^"'()=]+)/
            .ignoresCase()
        guard filter.utf8.count <= DayFilter.longest, let parts = filter.wholeMatch(of: form),
            parts.4 != "nil",
            guide.attribute(at: String(parts.1), of: entity)?.type.kind == .string
        else { return nil }
        var value = parts.4.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        if parts.2.uppercased() == "LIKE" { value = value.replacing("%", with: "*") }
        let text = "\(parts.1) \(parts.2.uppercased())\(parts.3 ?? "") \"\(value)\""
        return (try? PredicateTree(filter: text)) == nil ? nil : text
    }

    /// The place of a whole word, in UTF-8.
    private static func position(of token: String, in filter: String) -> Int? {
        func isWord(_ character: Character?) -> Bool {
            character.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
        }
        for range in filter.ranges(of: token) {
            let before =
                range.lowerBound > filter.startIndex ? filter[filter.index(before: range.lowerBound)] : nil
            let after = range.upperBound < filter.endIndex ? filter[range.upperBound] : nil
            if !isWord(before), !isWord(after) {
                return filter.utf8.distance(from: filter.startIndex, to: range.lowerBound)
            }
        }
        return nil
    }

    /// Returns the wrong name of a key path, if that is the fault.
    private static func unknown(
        _ token: String, in filter: String, of entity: String, _ preview: PreviewStore?
    ) -> KeyPathResolver.UnknownKey? {
        PredicateTree.keyPaths(ofFormat: (try? FilterDates(filter).format) ?? filter, arguments: [])
            .flatMap { try? preview?.unknownKeys(in: $0, of: entity) }?
            .first { $0.error.token == token }
    }

    /// The property that a wrong name probably means.
    private static func suggestion(
        for token: String, _ unknown: KeyPathResolver.UnknownKey?, of entity: String, _ guide: ModelGuide
    ) -> String? {
        guard let unknown else { return nil }
        switch unknown.suggestion {
        case .renamed(let name), .nearest(let name): return name
        case .subentity: return nil
        case .none:
            // The beginning of one name.
            let all = guide.model.properties(of: entity).map(\.name)
            let found = all.filter { $0.lowercased().hasPrefix(token.lowercased()) }
            return unknown.knownKeys == 0 && token.count > 2 && found.count == 1 ? found[0] : nil
        }
    }
}
