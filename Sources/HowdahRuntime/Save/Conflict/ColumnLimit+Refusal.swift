import Foundation
import HowdahModel

extension StoreSchema.Column.Limit {
    private static let mostNamed = 10

    /// Returns the reason why a column with this limit cannot hold a value, with the remedy; nil if it can.
    func refusal(of value: Value) -> String? {
        switch (self, value) {
        case (.characters(let most), .string(let text)): refusal(of: text, most)
        case (.characters(let most), .uri(let url)): refusal(of: url.absoluteString, most)
        case (.labels(let labels), .string(let text)) where !labels.contains(text):
            "is not one of the labels of its column's type "
                + "(\(labels.prefix(Self.mostNamed).joined(separator: ", "))\(labels.count > Self.mostNamed ? " …" : "")). "
                + "Use one of these labels, or add the label to the type in SQL."
        case (.digits(let digits, let scale), .decimal(let number)): refusal(of: number, digits, scale)
        default: nil
        }
    }

    /// Returns the reason for a text. Blanks at its end are cut off instead of being refused.
    private func refusal(of text: String, _ most: Int) -> String? {
        let needed = text.unicodeScalars.reversed().drop { $0 == " " }.count
        return needed > most
            ? "is longer than the \(most) characters of its column. Shorten the text, or widen the column in SQL."
            : nil
    }

    private func refusal(of number: Decimal, _ digits: Int, _ scale: Int) -> String? {
        var (given, rounded, bound) = (number, Decimal(), Decimal(1))
        NSDecimalRound(&rounded, &given, scale, .plain)
        for _ in 0..<Swift.max(0, digits - scale) { bound *= 10 }
        return !number.isNaN && rounded.magnitude >= bound
            ? "has more than the \(digits) digits of its column, \(scale) of them after the point. Use a smaller "
                + "number, or widen the column in SQL." : nil
    }
}
