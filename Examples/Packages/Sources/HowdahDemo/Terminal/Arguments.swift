/// What the command line asks for.
struct Arguments {
    static let usage = """
        Usage: howdah-demo [options]

        Imports this machine's Debian packages into PostgreSQL as an object graph, and shows fetches, saves and a
        migration.

          --database URL   Use this database (postgres://… or "host=… dbname=…") instead of a private server that is
                           removed with the demo. Run the demo twice to see that the second import changes nothing.
          --schema NAME    Use this schema of that database. (default: howdah_demo)
          --only SOURCE    Import only status (installed packages), list (all packages known to apt) or sample
                           (packages that are part of the demo).
          --limit N        Import at most N packages of each source.
          --twice          Import a second time immediately.
          --stay           Wait at the end, so that you can inspect the private server with psql.
          --help           Print this text.
        """

    var database: String?
    var schema = "howdah_demo"
    var sources: [PackageSource] = PackageSource.present
    var limit = Int.max
    var importsTwice = false
    var stays = false
    var wantsHelp = false

    init(_ words: some Sequence<String>) throws {
        var words = words.makeIterator()
        while let word = words.next() {
            switch word {
            case "--database": database = try Self.value(of: word, words.next())
            case "--schema": schema = try Self.value(of: word, words.next())
            case "--only": sources = [try Self.source(Self.value(of: word, words.next()))]
            case "--limit": limit = try Self.count(Self.value(of: word, words.next()))
            case "--twice": importsTwice = true
            case "--stay": stays = true
            case "--help", "-h": wantsHelp = true
            default:
                throw DemoError("\(word) is not an option of the demo. Run howdah-demo --help for a list.")
            }
        }
    }

    private static func value(of option: String, _ word: String?) throws -> String {
        guard let word, !word.isEmpty, !word.hasPrefix("--") else {
            throw DemoError(
                "\(option) has no value. Add the value after the option; howdah-demo --help lists the options."
            )
        }
        return word
    }

    private static func source(_ word: String) throws -> PackageSource {
        guard let source = PackageSource(rawValue: word) else {
            let known = PackageSource.allCases.map(\.rawValue).joined(separator: ", ")
            throw DemoError("--only \(word): unknown source. Use one of \(known).")
        }
        guard source.isPresent else {
            throw DemoError("--only \(word): this machine does not have that source. Use --only sample.")
        }
        return source
    }

    private static func count(_ word: String) throws -> Int {
        guard let count = Int(word), count > 0 else {
            throw DemoError("--limit \(word): not a number of packages. Use a whole number from 1.")
        }
        return count
    }
}
