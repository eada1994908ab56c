import ArgumentParser
import HowdahMigration
import PQClient

extension MigrateCommand {
    struct Plan: MigrationCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Prints the steps that the store needs, with their SQL, locks and about how many rows; changes nothing.",
            discussion:
                "Where there is no store, they are those that make it. Exit status 2 where there is something to do."
        )

        @OptionGroup var target: MigrationTarget

        var json: Bool { target.json }

        func perform() throws {
            let plan = try target.withRoute { route in
                try route.tellPending()
                let rows = try RowEstimates.of(route.schemaName, on: route.connection)
                return try route.plan().estimated(rows)
            }
            guard let first = plan.stages.first else {
                return try Output.write(target.json ? plan.json : "The store has the model already.")
            }
            let isOne = plan.stages.count == 1 && first.label.isEmpty
            try Output.write(target.json ? plan.json : isOne ? first.plan.description : plan.description)
            throw MigrateCommand.needsMigration
        }
    }
}
