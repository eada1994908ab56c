import ArgumentParser
import Foundation
import HowdahRuntime

/// The consent to write to a database that was named for all programs, and not for howdah.
struct MigrationConsent: ParsableArguments {
    @Flag(
        help:
            "Does not ask, even if the address comes from DATABASE_URL or from libpq's variables."
    )
    var yes = false

    /// Asks if the address was not meant for howdah.
    ///
    /// - Throws: `ValidationError` if it has to ask and standard input is no terminal; a quiet exit after another answer
    ///   than yes.
    ///
    /// - Parameter question: The beginning of the question, an imperative.
    func check(_ address: StoreAddress, _ question: String = "Migrate") throws {
        guard try !address.found.isOwn, !yes, let place = try? address.place() else { return }
        guard isatty(STDIN_FILENO) == 1 else {
            throw ValidationError(
                "The command would write to \(place). Add --yes, or name the database with --database or HOWDAH_DATABASE."
                    .printable)
        }
        _ = Output.send("\(question) \(place)? [y/N] ".printable, to: STDERR_FILENO)
        let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased()
        guard answer == "y" || answer == "yes" else {
            Output.tell("Nothing was changed.")
            throw ExitCode.failure
        }
    }
}
