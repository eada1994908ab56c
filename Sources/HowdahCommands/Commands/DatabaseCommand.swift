import ArgumentParser
import Foundation
import LocalPostgres

/// `howdah db`: a private PostgreSQL for development.
struct DatabaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "db",
        abstract:
            "Runs a private PostgreSQL server for development, without a container or an administrator.",
        discussion: """
            The cluster has its own folder and listens only on a unix socket. The server keeps running until you \
            stop it, and keeps its data. Install the server programs first (Debian: postgresql; macOS: brew install \
            postgresql). If they are not found, set HOWDAH_PG_BINDIR to their folder.
            """,
        subcommands: [Start.self, Stop.self, Address.self, Status.self, Shell.self])

    /// Which cluster and which database.
    struct Place: ParsableArguments {
        @Option(help: "The folder of the cluster.", completion: .directory)
        var folder = ".howdah/postgres"

        @Option(help: "The name of the database.")
        var database = DevelopmentCluster.defaultDatabase

        func validate() throws {
            if folder.isEmpty { throw ValidationError("--folder is empty. Give the path of a folder.") }
            if database.isEmpty { throw ValidationError("--database is empty. Give the name of a database.") }
        }

        var cluster: DevelopmentCluster {
            get throws { try DevelopmentCluster(in: URL(fileURLWithPath: folder)) }
        }

        /// The command that starts a server in the folder.
        var startCommand: String {
            let quoted = "'" + folder.replacing("'", with: "'\\''") + "'"
            return "howdah db start" + (folder == ".howdah/postgres" ? "" : " --folder \(quoted)")
        }

        /// The connection string of a server that runs.
        func runningURL() throws -> String {
            let cluster = try cluster
            switch cluster.state {
            // A full server is still the one that the URL leads to.
            case .running, .unresponsive: return cluster.url(database: database)
            case .absent, .stopped:
                throw CommandError(
                    "No server is running in \(cluster.path). Start a server with: \(startCommand)")
            }
        }
    }

    struct Start: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Creates the cluster and the database if they are missing, starts the server and prints the URL.",
            discussion: "If the server is already running, the command only prints the URL.")

        @OptionGroup var place: Place

        func run() throws {
            try Output.write(CommandError.explained { try place.cluster.start(database: place.database) })
        }
    }

    struct Stop: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stops the server and keeps the data. Delete the folder to remove the data as well.")

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
        static let configuration = CommandConfiguration(abstract: "Reports whether the server is running.")

        @OptionGroup var place: Place

        func run() throws {
            try CommandError.explained {
                let cluster = try place.cluster
                switch cluster.state {
                case .absent:
                    try Output.write(
                        "The folder \(cluster.path) has no cluster. Create and start one with: \(place.startCommand)"
                    )
                case .stopped: try Output.write("stopped  \(cluster.path)")
                case .running(let process): try Output.write("running  \(cluster.path)  process \(process)")
                case .unresponsive(let process):
                    try Output.write(
                        "unresponsive  \(cluster.path)  process \(process): accepts no sessions now")
                }
            }
        }
    }

    struct Shell: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "psql", abstract: "Opens psql on the running server's database.",
            discussion: "Arguments after -- are passed to psql: howdah db psql -- -c 'SELECT 1'")

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
                throw CommandError(
                    "Cannot run \(program): \(String(cString: strerror(errno))). Check that you may execute this program."
                )
            }
        }
    }
}
