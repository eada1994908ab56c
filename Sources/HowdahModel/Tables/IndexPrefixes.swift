/// How much of each text and `bytea` column its indexes hold, so that no value is too long for one.
///
/// An entry of a B-tree has at most 2,704 bytes. All indexes hold as much of a column, because a fetch compares what
/// they hold: `left(name, 600) = left($1, 600) AND name = $1`.
struct IndexPrefixes {
    /// The number of characters, or of bytes of a `bytea`; what fits in full has none.
    private(set) var lengths: [IndexedText: Int] = [:]

    /// What an entry of 2,704 bytes leaves for values.
    private static let budget = 2_640
    /// The most that another type takes: a number of 38 digits, with its alignment.
    private static let fixedWidth = 32
    private static let longestPrefix = 600
    private static let scalarWidth = 4
    /// Length word and alignment.
    private static let overhead = 8

    init(_ drafts: [IndexDraft]) {
        var scalars: [IndexedText: Int] = [:]
        var cut: [IndexedText: StoreSchema.ColumnType] = [:]
        for draft in drafts where draft.method.isLimited {
            let texts = draft.members.compactMap(\.text)
            guard !texts.isEmpty else { continue }
            let rest = Self.budget - (draft.members.count - texts.count) * Self.fixedWidth
            let share = (rest / texts.count - Self.overhead) / Self.scalarWidth
            let room = min(Self.longestPrefix, share)
            for (column, text) in texts {
                scalars[text] = min(scalars[text] ?? room, room)
                if column.longest(folded: !text.folding.isEmpty).map({ $0 > room }) ?? true {
                    cut[text] = column.type
                }
            }
        }
        for (text, type) in cut {
            let length = scalars[text] ?? 0
            lengths[text] = type == .bytea ? length * Self.scalarWidth : length
        }
    }
}

extension IndexDraft.Member {
    /// The column and how it is held, where its values can be long.
    fileprivate var text: (column: IndexDraft.Column, text: IndexedText)? {
        switch subject {
        case .column(let column) where column.type == .text || column.type == .bytea:
            (column, IndexedText(column: column.name, folding: []))
        case .folded(let column, let options):
            (column, IndexedText(column: column.name, folding: options))
        // The beginning of a text has another order than the text: its length is limited instead.
        case .column, .localized, .expression: nil
        }
    }
}

extension IndexDraft.Column {
    /// The most Unicode scalars a CHECK lets in; nil where there is no limit.
    fileprivate func longest(folded isFolded: Bool) -> Int? {
        guard let attribute, type == .text else { return nil }
        let allowed = attribute.allowedValues.map { value in
            if case .string(let text) = value { text.precomposed.unicodeScalars.count } else { Int.max }
        }
        let longest = [attribute.maximumLength, allowed.max()].compactMap { $0 }.min()
        // Folding makes two scalars of some, such as "ß", and more of none.
        return isFolded || isCaseInsensitive ? longest.map { $0 > Int.max / 2 ? Int.max : $0 * 2 } : longest
    }
}

/// A text as indexes hold it: a column as it is compared where nothing is said, or folded otherwise.
struct IndexedText: Hashable {
    let column: String
    let folding: PredicateTree.Options
}
