import Testing

@testable import PQClient

/// Names of prepared statements that no two texts share, on whatever session they meet.
@Suite struct StatementNameTests {
    private func key(_ sql: String, _ types: OID...) -> StatementCache.Key {
        StatementCache.Key(sql: sql, types: types)
    }

    @Test func namesFollowFromTextAndTypes() {
        let cache = StatementCache(capacity: 8)
        let other = StatementCache(capacity: 99)
        let keys = [
            key("SELECT 1"), key("SELECT 2"), key("SELECT 1", .int4), key("SELECT 1", .int8),
            key("SELECT 1", .int4, .int8), key("SELECT 1", .int8, .int4),
        ]
        let names = keys.map(cache.makeName)
        #expect(Set(names).count == keys.count)
        #expect(keys.map(other.makeName) == names)
        #expect(names.allSatisfy { $0.utf8.count <= 63 && $0.hasPrefix("howdah_") })
    }

    @Test func aGivenUpStatementGetsAnotherName() throws {
        var cache = StatementCache(capacity: 8)
        let first = key("SELECT 1")
        let name = cache.makeName(for: first)
        cache.insert(first, name: name)
        cache.remove(first, existsOnServer: true)
        #expect(cache.makeName(for: first) != name)
    }

    /// Two connections of which each believes the session to be its own, as behind a pooler that nobody found.
    @Test func twoClientsOfOneSessionNeverGetEachOthersStatement() throws {
        let connection = try TestCluster.connect()
        _ = try connection.query("SELECT 'first'")
        let ours = connection.cache
        connection.cache = StatementCache(capacity: 16)
        // Before, both had the name howdah_1.
        #expect(try connection.query("SELECT 'second'").scalar { $0.string() } == "second")
        let error = try #require(throws: PostgresError.self) { try connection.query("SELECT 'first'") }
        #expect(error.sqlState == "42P05")
        connection.cache = ours
        #expect(try connection.query("SELECT 'first'").scalar { $0.string() } == "first")
    }

    @Test func theDigestIsFNV1aOf128Bits() {
        var digest = NameDigest()
        #expect(digest.text == String(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d as UInt128, radix: 36))
        digest.add("foobar".utf8)
        #expect(digest.text == String(0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18 as UInt128, radix: 36))
    }
}
