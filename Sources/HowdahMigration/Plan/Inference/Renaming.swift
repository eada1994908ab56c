internal import HowdahModel

extension [String] {
    /// Each as `rename` has it; nil where it has none for some.
    func all(_ rename: (String) -> String?) -> [String]? {
        var result: [String] = []
        for name in self {
            guard let name = rename(name) else { return nil }
            result.append(name)
        }
        return result
    }
}

extension StoreSchema.Condition {
    /// The same over columns of other names; nil where `rename` has none for some.
    func renamingColumns(_ rename: (String) -> String?) -> Self? {
        switch self {
        case .isOneOf(let column, let texts): rename(column).map { .isOneOf(column: $0, texts) }
        case .isNotNull(let column): rename(column).map { .isNotNull(column: $0) }
        case .isNull(let column): rename(column).map { .isNull(column: $0) }
        case .allNull(let columns): columns.all(rename).map { .allNull($0) }
        case .allOrNone(let columns): columns.all(rename).map { .allOrNone($0) }
        case .isAtLeast(let column, let value): rename(column).map { .isAtLeast(column: $0, value) }
        case .isAtMost(let column, let value): rename(column).map { .isAtMost(column: $0, value) }
        case .isLongerOrEqual(let column, let length):
            rename(column).map { .isLongerOrEqual(column: $0, length) }
        case .isShorterOrEqual(let column, let length):
            rename(column).map { .isShorterOrEqual(column: $0, length) }
        case .compares(let column, let comparison, let value):
            rename(column).map { .compares(column: $0, comparison, value) }
        case .isIn(let column, let values): rename(column).map { .isIn(column: $0, values) }
        case .matches(let column, let pattern): rename(column).map { .matches(column: $0, pattern) }
        case .isPlainArray(let column): rename(column).map { .isPlainArray(column: $0) }
        case .constant: self
        case .isNotTrue(let condition): condition.renamingColumns(rename).map { .isNotTrue($0) }
        case .not(let condition): condition.renamingColumns(rename).map { .not($0) }
        case .and(let conditions): Self.all(conditions, rename).map { .and($0) }
        case .or(let conditions): Self.all(conditions, rename).map { .or($0) }
        }
    }

    private static func all(_ conditions: [Self], _ rename: (String) -> String?) -> [Self]? {
        let renamed = conditions.compactMap { $0.renamingColumns(rename) }
        return renamed.count == conditions.count ? renamed : nil
    }
}

extension StoreSchema.IndexElement {
    /// The same over columns of other names.
    ///
    /// - Parameter keepsAll: whether every column has the name it had; which ones an expression names is not known.
    func renamingColumns(_ rename: (String) -> String?, keepsAll: Bool) -> Self? {
        var element = self
        switch subject {
        case .column(let name):
            guard let name = rename(name) else { return nil }
            element.subject = .column(name)
        case .folded(let name):
            guard let name = rename(name) else { return nil }
            element.subject = .folded(name)
        case .folding(let name, let options, let length):
            guard let name = rename(name) else { return nil }
            element.subject = .folding(name, options, length: length)
        case .prefix(let name, let length, let type, let isFolded):
            guard let name = rename(name) else { return nil }
            element.subject = .prefix(name, length: length, type: type, isFolded: isFolded)
        case .digest(let name, let type, let isFolded):
            guard let name = rename(name) else { return nil }
            element.subject = .digest(name, type: type, isFolded: isFolded)
        case .localized(let name, let locale):
            guard let name = rename(name) else { return nil }
            element.subject = .localized(name, locale: locale)
        case .expression:
            if !keepsAll { return nil }
        }
        return element
    }
}

extension StoreSchema.Unique {
    func renamingColumns(_ rename: (String) -> String?, keepsAll: Bool) -> Self? {
        var result = self
        guard let columns = columns.all(rename) else { return nil }
        result.columns = columns
        if let elements {
            let renamed = elements.compactMap { $0.renamingColumns(rename, keepsAll: keepsAll) }
            guard renamed.count == elements.count else { return nil }
            result.elements = renamed
        }
        if let filter {
            guard let renamed = filter.renamingColumns(rename) else { return nil }
            result.filter = renamed
        }
        return result
    }
}

extension StoreSchema.Index {
    func renamingColumns(_ rename: (String) -> String?, keepsAll: Bool) -> Self? {
        var result = self
        let renamed = elements.compactMap { $0.renamingColumns(rename, keepsAll: keepsAll) }
        guard renamed.count == elements.count else { return nil }
        result.elements = renamed
        if let filter {
            guard let renamed = filter.renamingColumns(rename) else { return nil }
            result.filter = renamed
        }
        return result
    }
}
