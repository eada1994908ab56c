import ArgumentParser
import Foundation
import LocalPostgres

/// `howdah db`: a private PostgreSQL for development.
struct DatabaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "db",
        abstract: "A private PostgreSQL for development, without a container and without an administrator.",
        discussion: """
            It lives in a folder of its own, listens on a unix socket only, and keeps running and keeps its data \
            until it is stopped. The server programs must be installed (Debian: postgresql; macOS: brew install \
            postgresql); HOWDAH_PG_BINDIR names their folder where they are not found.
            """,
        subcommands: [Start.self, Stop.self, Address.self, Status.self, Shell.self])

    /// Which cluster and which database.
    struct Place: ParsableArguments {
        @Option(help: "The cluster's folder.")
        var folder = ".howdah/postgres"

        @Option(help: "The database.")
        var database = DevelopmentCluster.defaultDatabase

        func validate() throws {
            if folder.isEmpty { throw ValidationError("--folder is not empty.") }
            if database.isEmpty { throw ValidationError("--database is not empty.") }
        }

        var cluster: DevelopmentCluster {
            get throws { try DevelopmentCluster(in: URL(fileURLWithPath: folder)) }
        }

        /// The connection string of a server that runs.
        func runningURL() throws -> String {
            let cluster = try cluster
            switch cluster.state {
            // A full server is still the one that the URL leads to.
            case .running, .unresponsive: return cluster.url(database: database)
            case .absent, .stopped:
                let quoted = "'" + folder.replacing("'", with: "'\\''") + "'"
                throw CommandError(
                    "No server is running in \(cluster.path); start it with: howdah db start"
                        + (folder == ".howdah/postgres" ? "" : " --folder \(quoted)"))
            }
        }
    }

    struct Start: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Makes the cluster and the database where they are missing, starts the server, prints the URL.",
            discussion: "Where the server runs already, only the URL is printed.")

        @OptionGroup var place: Place

        func run() throws {
            try Output.write(CommandError.explained { try place.cluster.start(database: place.database) })
        }
    }

    struct Stop: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ends the server and keeps the data; delete the folder to be rid of those too.")

        @OptionGroup var place: Place

        func run() throws {
            try CommandError.explained {
                let cluster = try place.cluster
                try Output.write(cluster.stop() ? "stopped" : "No server was running in \(cluster.path).")
            }
        }
    }

    struct Address: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "url", abstract: "Prints the URL of the running server's database, and nothing else."
        )

        @OptionGroup var place: Place

        func run() throws { try Output.write(CommandError.explained { try place.runningURL() }) }
    }

    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Says whether the server runs.")

        @OptionGroup var place: Place

        func run() throws {
            try CommandError.explained {
                let cluster = try place.cluster
                switch cluster.state {
                case .absent: try Output.write("There is no cluster in \(cluster.path).")
                case .stopped: try Output.write("stopped  \(cluster.path)")
                case .running(let process): try Output.write("running  \(cluster.path)  process \(process)")
                case .unresponsive(let process):
                    try Output.write(
                        "unresponsive  \(cluster.path)  process \(process): takes no sessions now")
                }
            }
        }
    }

    struct Shell: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "psql", abstract: "Opens psql on the running server's database.",
            discussion: "What follows -- goes to psql: howdah db psql -- -c 'SELECT 1'")

        @OptionGroup var place: Place

        @Argument(parsing: .postTerminator, help: "Arguments for psql, after --.")
        var arguments: [String] = []

        func run() throws {
            try CommandError.explained {
                let url = try place.runningURL()
                let program = try place.cluster.program("psql")
                // It would lead past the socket that the URL names.
                unsetenv("PGHOSTADDR")
                // In place of this process, so that the terminal and the exit status are psql's own.
                let words = [program, "-d", url] + arguments
                let pointers = words.map { strdup($0) } + [nil]
                execv(program, pointers)
                throw CommandError("Cannot run \(program): \(String(cString: strerror(errno))).")
            }
        }
    }
}
