import PQClient
import Testing

/// What is wrong with a connection string is said without any part of a password.
@Suite struct ConnectionStringTests {
    private func error(_ string: String) -> PostgresError? {
        #expect(throws: PostgresError.self) { try ConnectionConfiguration(string) }
    }

    @Test(arguments: [
        "postgres://app:hunter2%zz@localhost/shop", "postgres://app:hunter2?x@localhost/shop",
        "postgres://app:hunt@er2@localhost/shop", "password=hunter2 word=3", "password='hunter2",
        "host=a password=x hunter2=1",
        "postgres://app:p?hunter2=1@localhost/shop", "postgres://app:p/hunter2?er2=1@localhost/shop",
        "postgres://user:hunter2/x@127.0.0.1/db", "postgres://user:p@hunt/er2@127.0.0.1/db",
        "postgres://user:p@127.0.0.1:hunter2@h/db", "postgres://u:p@127.0.0.1:5432/hunt/er2@h/db",
        "dbname='postgres://x:hunter2@h/db' host=127.0.0.1", "postgres://user:5432/hunter2@127.0.0.1/db",
    ])
    func noPartOfAPasswordIsShown(_ string: String) throws {
        let found: PostgresError?
        do {
            let configuration = try ConnectionConfiguration(string)
            #expect(!"\(configuration)".contains("er2"))
            found = nil
        } catch let error as PostgresError {
            found = error
        }
        let text = found.map { "\($0) \(String(reflecting: $0))" } ?? ""
        #expect(!text.contains("hunter2") && !text.contains("er2") && !text.contains("hunt"), "\(text)")
    }

    @Test func anUnknownOptionIsNamed() {
        let error = error("postgres://localhost/shop?pool=3")
        #expect(error?.message.contains("an unknown option \"pool\"") == true, "\(String(describing: error))")
    }

    @Test func anUnescapedAtSignIsExplained() {
        let error = error("postgres://app:hunt@er2@localhost/shop")
        #expect(error?.message.contains("%40") == true)
    }

    @Test("The place of a connection string names the role that its options set")
    func placeNamesTheRoleOfOptions() throws {
        for (options, role) in [
            ("-c role=owner", "owner"), ("-crole=owner", "owner"), ("--role=owner", "owner"),
            ("-c search_path=a -c ROLE=two\\\\ words", "two words"), ("-c role=a -c role=b", "b"),
            ("-c role=none", "app"), ("-c application_name=role=x", "app"), ("", "app"),
        ] {
            let configuration = try ConnectionConfiguration(
                "host=db user=app dbname=shop options='\(options)'")
            #expect(configuration.place.hasSuffix("as role \(role)"), "\(configuration.place)")
        }
    }
}
