/// What the command line asks for.
struct Arguments {
    static let usage = """
        Usage: howdah-demo [options]

        Imports this machine's Debian packages into PostgreSQL as an object graph, and shows what can be done with it.

          --database URL   use this database (postgres://… or "host=… dbname=…") instead of a private server that
                           goes away with the demo; run twice to see that the second import changes nothing
          --schema NAME    the schema in that database; default howdah_demo
          --only SOURCE    status (what is installed), list (all that apt knows) or sample (comes with the demo)
          --limit N        at most N packages of each source
          --twice          import a second time at once
          --stay           wait at the end, so that the private server can be looked at with psql
          --help           this text
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
            default: throw DemoError("\(word) is no option of the demo. See howdah-demo --help.")
            }
        }
    }

    private static func value(of option: String, _ word: String?) throws -> String {
        guard let word, !word.isEmpty, !word.hasPrefix("--") else {
            throw DemoError("\(option) needs a value after it. See howdah-demo --help.")
        }
        return word
    }

    private static func source(_ word: String) throws -> PackageSource {
        guard let source = PackageSource(rawValue: word) else {
            let known = PackageSource.allCases.map(\.rawValue).joined(separator: ", ")
            throw DemoError("--only \(word): there is no such source. Choose one of \(known).")
        }
        guard source.isPresent else {
            throw DemoError("--only \(word): this machine has no such source. Use --only sample.")
        }
        return source
    }

    private static func count(_ word: String) throws -> Int {
        guard let count = Int(word), count > 0 else {
            throw DemoError("--limit \(word): give a whole number of packages, 1 or more.")
        }
        return count
    }
}
