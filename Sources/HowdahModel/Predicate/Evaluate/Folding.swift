import Foundation

/// The effect of `[c]`, `[d]` and `[cd]` on a string before it is compared.
///
/// The store's SQL functions `fold_c_1`, `fold_d_1` and `fold_cd_1` take the same steps from the same lists.
/// If either list changes, the functions need another version. A second folding changes nothing.
package enum Folding {
    /// Scalars that differ only by case but have no one-to-one lower case; replaced after lower-casing.
    package static let caseReplacements: [(scalar: Unicode.Scalar, text: String)] = [
        ("ß", "ss"), ("ς", "σ"),
    ]

    /// Letters with strokes and ligatures, which have no decomposition; replaced together with diacritics.
    package static let diacriticReplacements: [(scalar: Unicode.Scalar, text: String)] = [
        ("æ", "ae"), ("œ", "oe"), ("ø", "o"), ("đ", "d"), ("ħ", "h"), ("ł", "l"), ("ŧ", "t"), ("ı", "i"),
        ("Æ", "AE"), ("Œ", "OE"), ("Ø", "O"), ("Đ", "D"), ("Ħ", "H"), ("Ł", "L"), ("Ŧ", "T"),
    ]

    /// The combining marks that are dropped.
    package static let marks: ClosedRange<UInt32> = 0x300...0x36F

    /// Returns a string as it is compared under `options`. If they do not fold, it is the string itself.
    package static func folded(_ string: String, _ options: PredicateTree.Options) -> String {
        let ignoresCase = options.folding.contains(.caseInsensitive)
        let ignoresMarks = options.folding.contains(.diacriticInsensitive)
        guard ignoresCase || ignoresMarks else { return string }
        if string.utf8.allSatisfy({ $0 < 0x80 }) { return ignoresCase ? string.lowercased() : string }
        var result = string
        if ignoresMarks {
            var scalars = String.UnicodeScalarView()
            for scalar in result.decomposedStringWithCanonicalMapping.unicodeScalars
            where !marks.contains(scalar.value) { scalars.append(scalar) }
            result = String(scalars).precomposedStringWithCanonicalMapping
        }
        if ignoresCase { result = replacing(caseReplacements, in: result.lowercased()) }
        if ignoresMarks { result = replacing(diacriticReplacements, in: result) }
        return result
    }

    private static func replacing(
        _ replacements: [(scalar: Unicode.Scalar, text: String)], in string: String
    ) -> String {
        var result = String.UnicodeScalarView()
        for scalar in string.unicodeScalars {
            if let (_, text) = replacements.first(where: { $0.scalar == scalar }) {
                result.append(contentsOf: text.unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }
}
