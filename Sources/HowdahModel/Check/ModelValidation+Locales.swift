extension ModelValidation {
    /// The most characters of a text that fits in an entry of an index, which has at most 2,704 bytes.
    private static var longestLocalized: Int { 600 }

    /// Reports an element whose order by a locale the index cannot have.
    ///
    /// - Parameter attribute: The indexed attribute; nil for a relationship.
    mutating func checkLocale(
        _ locale: String, of index: FetchIndexDescription, for attribute: AttributeDescription?,
        _ keyPath: String, _ entity: EntityDescription
    ) {
        func refuse(_ sentences: String) {
            report(
                .invalidIndex, entity.name, keyPath, "The fetch index \(index.name) \(sentences)")
        }
        if LocaleCollation(locale) == nil {
            refuse("names \"\(locale)\", which \(LocaleCollation.complaint)")
        } else if attribute?.columnType != .text {
            refuse(
                "sorts a property that is not a String or a URI by a locale. Index the property without a "
                    + "locale.")
        } else if index.method != .btree {
            refuse("has a locale and is not a B-tree. Only B-trees have an order: remove the locale.")
        } else if attribute?.maximumLength.map({ $0 > Self.longestLocalized }) ?? true {
            refuse(
                "sorts a text by a locale, and the text may be too long for that. Set the maximum length of "
                    + "\(keyPath) to \(Self.longestLocalized) or less.")
        }
    }
}
