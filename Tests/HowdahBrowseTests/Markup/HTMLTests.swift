import Testing

@testable import HowdahBrowse

/// Markup and escaping.
@Suite struct HTMLTests {
    @Test func interpolatedTextIsEscapedAndMarkupIsNot() {
        let name = "<script>alert('x')</script> & \"y\""
        let inner: HTML = "<b>\(name)</b>"
        let outer: HTML = "<td title=\"\(name)\">\(inner)\(3)</td>"
        let escaped = "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;y&quot;"
        #expect(outer.text == "<td title=\"\(escaped)\"><b>\(escaped)</b>3</td>")
    }

    @Test func controlsAndDirectionMarksAreReplaced() {
        let text = "a\u{0}b\u{202E}c\nd"
        #expect(HTML(text).text == "a\u{FFFD}b\u{FFFD}c\nd")
    }
}
