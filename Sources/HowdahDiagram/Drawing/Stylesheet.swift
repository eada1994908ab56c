/// The colours and fonts of a diagram, for light and for dark surroundings.
///
/// Colours are written out for both, because not every program that shows SVG knows CSS variables.
enum Stylesheet {
    private struct Colour {
        var selector: String
        var property: String
        var light: String
        var dark: String

        init(_ selector: String, _ property: String, _ light: String, _ dark: String) {
            (self.selector, self.property, self.light, self.dark) = (selector, property, light, dark)
        }
    }

    /// The colours that lines take turns with, so that neighbours can be told apart; light, then dark.
    private static let lineColours = [
        ("#2563a8", "#74aef0"), ("#a83a5b", "#f08fab"), ("#2f7d4f", "#76cc98"), ("#7a4fb0", "#bd9cf0"),
        ("#a8650f", "#e5ad62"), ("#0f7f88", "#5fc9d2"), ("#b0399a", "#ee8fdc"), ("#5b6b16", "#b3c563"),
    ]

    static var lineColourCount: Int { lineColours.count }

    private static let colours: [Colour] =
        [
            Colour(".ground", "fill", "#f5f6f8", "#14171c"), Colour(".box", "fill", "#ffffff", "#1d2229"),
            Colour(".box", "stroke", "#bcc4d1", "#465160"), Colour(".head", "fill", "#e6ebf4", "#2b343f"),
            Colour(".rule", "stroke", "#dde2ea", "#38414d"), Colour("text", "fill", "#1b2330", "#e8ecf2"),
            Colour(".dim", "fill", "#667085", "#98a4b5"), Colour(".type", "fill", "#667085", "#98a4b5"),
            Colour(".mark", "fill", "#a8500a", "#f0a35e"),
            Colour(".kin .line", "stroke", "#6b7688", "#98a4b5"),
            Colour(".kin .hollow", "stroke", "#6b7688", "#98a4b5"),
            Colour(".kin .hollow", "fill", "#ffffff", "#14171c"),
        ]
        + lineColours.enumerated().flatMap { number, colour in
            [
                Colour(".c\(number) .line", "stroke", colour.0, colour.1),
                Colour(".c\(number) .full, .c\(number) .count", "fill", colour.0, colour.1),
            ]
        }

    private static let shapes = """
        text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; \
        font-size: 11.5px; white-space: pre }
        .name { font-size: 13px; font-weight: 600 }
        .abstract { font-style: italic }
        .type, .right { text-anchor: end }
        .mark { font-size: 9px }
        .count { font-size: 10px }
        .line { fill: none; stroke-width: 1.4; stroke-linejoin: round }
        .one-way .line { stroke-dasharray: 5 4 }
        .one-way .open { stroke-dasharray: none }
        .hollow { stroke-width: 1.4 }
        .link:hover .line { stroke-width: 3 }

        """

    static let text =
        shapes + rules(\.light) + "@media (prefers-color-scheme: dark) {\n" + rules(\.dark) + "}\n"

    private static func rules(_ colour: KeyPath<Colour, String>) -> String {
        colours.map { "\($0.selector) { \($0.property): \($0[keyPath: colour]) }\n" }.joined()
    }
}
