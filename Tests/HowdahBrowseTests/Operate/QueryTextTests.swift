import Testing

@testable import HowdahBrowse

/// The end of a query.
@Suite struct QueryTextTests {
    @Test(arguments: [
        ("select 1; -- x", "select 1"), ("select 1;", "select 1"),
        ("select 1 -- a\n; /* b /* c */ ; */ ;", "select 1"),
        ("select 1; -- x\nselect 2", "select 1; -- x\nselect 2"), ("select ';--' ; ", "select ';--'"),
        (#"select E'\';--' -- x"#, #"select E'\';--'"#), ("select E'a'';--'; -- x", "select E'a'';--'"),
        (#"select E'a''\';--'; -- x"#, #"select E'a''\';--'"#),
        (#"select E'''\';--'; -- x"#, #"select E'''\';--'"#), (#"select '\'; -- '"#, #"select '\'"#),
        (#"select "a;--" ;"#, #"select "a;--""#), ("select $$;--$$ -- x", "select $$;--$$"),
        ("select $a$;$$--$a$ ; -- x", "select $a$;$$--$a$"),
        ("select a$b$ from t; -- x$b$", "select a$b$ from t"), ("select /* open", "select /* open"),
        ("select 'open -- x", "select 'open -- x"), ("select $1; -- $1;", "select $1"), (";;", ""),
        ("-- x", ""), ("", ""), ("select 'ä' -- ä", "select 'ä'"), ("select name'-- x'", "select name'-- x'"),
    ])
    func endsAreFound(text: String, query: String) {
        #expect(QueryText.trimmed(text) == query)
    }
}
