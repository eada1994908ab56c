/// Markup that consists of literals, and of values that were escaped.
///
/// ```swift
/// let cell: HTML = "<td>\(name)</td>"
/// ```
/// An interpolated value is escaped unless it is HTML itself. Text that a program composed cannot become HTML.
struct HTML: ExpressibleByStringInterpolation, Sendable {
    private(set) var text: String

    init(stringLiteral value: StaticString) { text = value.description }

    init(stringInterpolation interpolation: Interpolation) { text = interpolation.text }

    /// Text without markup.
    init(_ value: some StringProtocol) {
        text = ""
        text.appendEscaped(value)
    }

    /// Markup that another part of the library made and escaped, such as the SVG of a diagram.
    init(trusted text: String) { self.text = text }

    static let empty: HTML = ""

    static func + (first: HTML, second: HTML) -> HTML { "\(first)\(second)" }

    static func += (first: inout HTML, second: HTML) { first.text += second.text }

    /// Collects the parts of markup.
    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        mutating func appendLiteral(_ literal: StaticString) { text += literal.description }

        mutating func appendInterpolation(_ html: HTML) { text += html.text }

        mutating func appendInterpolation(_ html: HTML?) { text += html?.text ?? "" }

        mutating func appendInterpolation(_ parts: [HTML]) { for part in parts { text += part.text } }

        mutating func appendInterpolation(_ value: some StringProtocol) { text.appendEscaped(value) }

        mutating func appendInterpolation(_ number: some BinaryInteger) { text += String(number) }
    }
}

extension [HTML] {
    /// Joins parts with a separator.
    func joined(by separator: HTML) -> HTML {
        var all = HTML.empty
        for (index, part) in enumerated() {
            if index > 0 { all += separator }
            all += part
        }
        return all
    }
}

extension String {
    /// Appends text with the characters escaped that have a meaning in markup or in a quoted attribute.
    fileprivate mutating func appendEscaped(_ value: some StringProtocol) {
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": self += "&amp;"
            case "<": self += "&lt;"
            case ">": self += "&gt;"
            case "\"": self += "&quot;"
            case "'": self += "&#39;"
            // Controls are not allowed in HTML, and some change the direction of the text around them.
            case "\u{0}"..."\u{8}", "\u{B}", "\u{C}", "\u{E}"..."\u{1F}", "\u{7F}"..."\u{9F}",
                "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}":
                self += "\u{FFFD}"
            default: unicodeScalars.append(scalar)
            }
        }
    }
}
