import Howdah
import Testing

@testable import HowdahRuntime
@testable import PQClient

/// Labels of servers: the conventions give a port only beside its host.
@Suite struct StorePlaceTests {
    private static func place(_ text: String) throws -> StorePlace {
        let pool = ConnectionPool(configuration: try ConnectionConfiguration(text), maximumConnections: 1)
        return StorePlace(schemaName: "public", pool, AdmissionQueue(places: 1))
    }

    @Test(
        arguments: [
            ("host=db.example port=5433 dbname=shop", "db.example", 5433),
            ("host=db.example dbname=shop", "db.example", nil),
            ("host=/tmp port=5433 dbname=shop", nil, nil),
            ("host=a,b port=5433,5434 dbname=shop", nil, nil),
            ("port=5433 dbname=shop", nil, nil),
        ] as [(String, String?, Int?)])
    func aPortIsNamedBesideItsHost(text: String, host: String?, port: Int?) throws {
        let place = try Self.place(text)
        #expect(place.host == host)
        #expect(place.port == port)
        #expect(place.namespace == "shop|public")
    }
}
