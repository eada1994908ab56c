import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// The address of the database from the environment.
@Suite struct EnvironmentTests {
    @Test func theFirstVariableCounts() throws {
        let all = [
            "HOWDAH_DATABASE": "postgres://a", "DATABASE_URL": "postgres://b", "PGHOST": "c", "PGUSER": "u",
        ]
        let own = try #require(DatabaseAddress(environment: all))
        #expect(own.url == "postgres://a" && own.source == "HOWDAH_DATABASE" && own.isOwn)
        let common = try #require(DatabaseAddress(environment: all.merging(["HOWDAH_DATABASE": ""]) { $1 }))
        #expect(common.url == "postgres://b" && common.source == "DATABASE_URL" && !common.isOwn)
        let libpq = try #require(
            DatabaseAddress(environment: ["PGHOST": "c", "PGUSER": "u'\\ x", "PGSERVICE": ""]))
        #expect(libpq.source == "PGHOST" && !libpq.isOwn)
        let configuration = try ConnectionConfiguration(libpq.url)
        #expect(configuration["host"] == "c" && configuration["user"] == "u'\\ x")
        // What only completes an address names no place.
        #expect(DatabaseAddress(environment: ["PGUSER": "u", "PGPORT": "1", "PGPASSWORD": "secret"]) == nil)
        #expect(DatabaseAddress(environment: [:]) == nil)
        let place = try ConnectionConfiguration("postgres://me:secret@db.example:5433/shop").place
        #expect(place == "database shop on db.example, port 5433 as role me")
        #expect(try ConnectionConfiguration("service=shop").place == "the service shop")
    }

    @Test(.needsSession) func aContainerOpensByEachOfThem() async throws {
        try await withTestDatabase(for: Company.model()) { database in
            let parts = try ConnectionConfiguration(database.url)
            var libpq = ["PGHOST": parts["host"], "PGDATABASE": parts["dbname"], "PGUSER": parts["user"]]
                .compactMapValues { $0 }
            libpq["PGPORT"] = parts["port"]
            for environment in [["HOWDAH_DATABASE": database.url], ["DATABASE_URL": database.url], libpq] {
                let container = try await PersistentContainer.open(
                    environment: environment, model: Company.model())
                #expect(try await container.perform { try $0.count(for: FetchRequest<Department>()) } == 0)
                await container.close()
            }
            let error = await #expect(throws: StoreError.self) {
                try await PersistentContainer.open(environment: ["PGUSER": "me"], model: Company.model())
            }
            #expect(error?.code == .invalidOptions && error?.message.contains("HOWDAH_DATABASE") == true)
        }
    }
}
