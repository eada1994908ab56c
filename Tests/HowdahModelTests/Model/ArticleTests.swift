import Testing

@testable import HowdahModel

@Suite struct ArticleTests {
    @Test(arguments: [
        ("Int", "an"), ("integer", "an"), ("Decimal", "a"), ("A", "an"), ("Employee", "an"), ("URL", "a"),
        ("UUID", "a"), ("Unit", "a"), ("User", "a"), ("Uncle", "an"), ("", "a"), ("Order", "an"),
    ])
    func messagesSpellIt(word: String, article: String) { #expect(word.article == article) }
}
