import ArgumentParser
import Foundation
import HowdahMigration
import HowdahModel
import HowdahModelFile
import HowdahSchema

extension ModelCommand {
    struct Checksum: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the version checksum, which is equal for models that are stored alike.",
            discussion:
                "It is computed in another way than Core Data's version hashes, so the two are never equal. A store opens only with a model that has the checksum in the store's record."
        )

        @OptionGroup var place: ModelPlace

        @Flag(help: "Prints a hash for each entity instead of the checksum.")
        var entities = false

        func run() throws {
            let contents = try place.contents()
            if entities {
                for (name, hash) in contents.model.entityVersionHashes.sorted(by: { $0.key < $1.key }) {
                    try Output.write("\(hash)  \(name.printable)")
                }
            } else {
                try Output.write(contents.model.versionChecksum)
            }
            contents.tellWarnings()
        }
    }

    struct SQL: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sql", abstract: "Prints the DDL that creates an empty store of a model.",
            discussion:
                "Run the DDL in one transaction. The store's record is created when a container opens the store."
        )

        @OptionGroup var place: ModelPlace

        @Option(help: "The PostgreSQL schema of the store.")
        var schema = "public"

        func validate() throws { try StoreAddress.checkSchema(schema) }

        func run() throws {
            let contents = try place.contents()
            let layout = try CommandError.explained { try StoreSchema(contents.model, schemaName: schema) }
            if let refusal = layout.refusalOfOwnStore { throw CommandError(refusal) }
            let statements = SchemaCreation(layout).statements
            try Output.write(statements.map { $0 + ";" }.joined(separator: "\n\n"))
            contents.tellWarnings()
            if let warning = LockDemand(layout).warning { Output.tell("warning: \(warning)") }
        }
    }

    struct JSON: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "json",
            abstract: "Prints a model as canonical JSON that you can read back as the same model.")

        @OptionGroup var place: ModelPlace

        func run() throws {
            let contents = try place.contents()
            try Output.write(contents.model.canonicalJSON)
            contents.tellWarnings()
        }
    }
}

extension ModelFile.Contents {
    /// Tells on standard error what of the file has no effect.
    func tellWarnings() {
        for warning in warnings {
            Output.tell("warning: \(warning)")
        }
    }
}
