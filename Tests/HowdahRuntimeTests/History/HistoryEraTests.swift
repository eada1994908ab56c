import Foundation
import HowdahModel
import HowdahSchema
import PQClient
import Testing

@testable import HowdahRuntime

/// Tokens of an earlier run of the server lead back to the last heartbeat that survived.
///
/// The tests change the eras in the tables; failovers of real servers are elsewhere.
struct HistoryEraTests {
    private static let former = "00000001/1000000"

    /// Makes the store one whose server began a new era after its last heartbeat.
    ///
    /// - Parameter isNoticed: Indicates whether a keeper has written a heartbeat since.
    private static func changeEra(of store: HistoryStore, heartbeat: StoreSnapshot, isNoticed: Bool) throws {
        let tables = HistoryStore.tables
        try store.execute(
            """
            UPDATE \(tables.state) SET heartbeat = '\(heartbeat)', heartbeat_era = '\(former)',
                heartbeat_at = clock_timestamp() - interval '1 h'
            """)
        if isNoticed { try store.execute("SELECT \(tables.name(of: .heartbeat))()") }
    }

    private static func token(_ token: HistoryToken, page: HistoryToken.Page? = nil) -> HistoryToken {
        HistoryToken(
            store: token.store, incarnation: token.incarnation,
            era: HistoryEra(timeline: 1, start: 1_000_000),
            snapshot: token.snapshot, page: page)
    }

    @Test(arguments: [true, false])
    func tokensOfAnEarlierEraAreRewound(isNoticed: Bool) async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            try writer.write([1])
            let beat = try await store.container.currentHistoryToken()
            try writer.write([2])
            let token = try await store.container.currentHistoryToken()
            try writer.write([3])
            try Self.changeEra(of: store, heartbeat: beat.snapshot, isNoticed: isNoticed)
            let result = try await store.history(after: Self.token(token))
            #expect(result.isAfterFailover)
            #expect(result.transactions.map { $0.changes[0].changedObjectID.key } == [2, 3])
            // The control takes the token at its word: changes under a number that was given out again would
            // be missing.
            #expect(try await store.keys(after: token) == [3])
            let next = try #require(result.token)
            #expect(next.era == token.era)
            #expect(try await store.history(after: next).isAfterFailover == false)
        }
    }

    /// A place inside a window means nothing in another era, as numbers were given out again.
    @Test func rewoundTokensLoseTheirPage() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            let beat = try await store.container.currentHistoryToken()
            try writer.write([1], number: 5)
            try writer.write([2], number: 6)
            let token = try await store.container.currentHistoryToken()
            let page = HistoryToken.Page(end: token.snapshot, number: 9, part: .max)
            try Self.changeEra(of: store, heartbeat: beat.snapshot, isNoticed: true)
            let inside = Self.token(beat, page: page)
            #expect(try await store.keys(after: inside) == [1, 2])
            // The control keeps the page.
            let kept = HistoryToken(
                store: beat.store, incarnation: beat.incarnation, era: beat.era, snapshot: beat.snapshot,
                page: page)
            #expect(try await store.keys(after: kept) == [])
        }
    }

    @Test func tokensOfAnUnknownEraOrOfTheFutureExpire() async throws {
        try await HistoryStore.with { store in
            let token = try await store.container.currentHistoryToken()
            func code(_ token: HistoryToken) async -> HistoryError.Code? {
                do {
                    _ = try await store.history(after: token)
                    return nil
                } catch {
                    return (error as? HistoryError)?.code
                }
            }
            #expect(await code(Self.token(token)) == .tokenExpired)
            let future = try #require(StoreSnapshot(xmax: token.snapshot.xmax + 1_000_000_000))
            let unborn = HistoryToken(
                store: token.store, incarnation: token.incarnation, era: token.era, snapshot: future)
            #expect(await code(unborn) == .tokenExpired)
            let page = HistoryToken.Page(end: future, number: 1, part: 0)
            let paged = HistoryToken(
                store: token.store, incarnation: token.incarnation, era: token.era, snapshot: token.snapshot,
                page: page)
            #expect(await code(paged) == .tokenExpired)
            #expect(await code(token) == nil)
        }
    }

    /// The number of a timeline is hexadecimal text.
    @Test func timelinesBeyondNineAreRead() async throws {
        #expect(HistoryEra("0000000A/5")?.timeline == 10 && HistoryEra("00000010/5")?.timeline == 16)
        try await HistoryStore.with { store in
            let token = try await store.container.currentHistoryToken()
            try store.execute(
                """
                INSERT INTO \(HistoryStore.tables.era) SELECT '0000000A/5', heartbeat_era, heartbeat, now(), now()
                FROM \(HistoryStore.tables.state)
                """)
            // Control: read as decimal text, which the first design stored as a number, the tenth is an error and the
            // sixteenth is the tenth.
            #expect(throws: (any Error).self) { try store.execute("SELECT '0000000A'::int") }
            try store.execute("SELECT 1 / ('00000010'::int = 10)::int")
            let tenth = HistoryToken(
                store: token.store, incarnation: token.incarnation, era: HistoryEra(timeline: 10, start: 5),
                snapshot: token.snapshot)
            #expect(try await store.history(after: tenth).isAfterFailover)
        }
    }
}
