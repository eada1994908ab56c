import Foundation

extension String {
    /// The string in Unicode's normal form C, in which equal names have equal bytes.
    ///
    /// Names are nearly always ASCII, which is in that form; Foundation would take them through `NSString`.
    var precomposed: String { utf8.allSatisfy { $0 < 0x80 } ? self : precomposedStringWithCanonicalMapping }
}
