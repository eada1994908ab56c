internal import CLibPQ
internal import Foundation

extension ConnectionConfiguration {
    /// The values of keywords that the user did not set.
    private static let defaults = [
        "fallback_application_name": "howdah", "keepalives": "1", "keepalives_idle": "5",
        "keepalives_interval": "2", "keepalives_count": "3", "tcp_user_timeout": "10000",
    ]

    /// Returns the keyword sets to try in order, one for each host.
    ///
    /// libpq can try several hosts itself. But it applies its timeout to each only in the call that also
    /// writes early notices to stderr. So each host is a separate attempt here, with the same rules.
    func attempts() -> [[String: String]] {
        var base = Self.defaults.merging(allKeywords) { _, own in own }
        base["client_encoding"] = "UTF8"
        base["options"] = sessionOptions()
        var hosts = hostEntries()
        if self["load_balance_hosts"] == "random" { hosts.shuffle() }
        guard self["target_session_attrs"] == "prefer-standby", hosts.count > 1 else {
            return hosts.map { base.merging($0) { _, own in own } }
        }
        return ["standby", "any"].flatMap { attributes in
            hosts.map { host in
                var keywords = base.merging(host) { _, own in own }
                keywords["target_session_attrs"] = attributes
                return keywords
            }
        }
    }

    /// Settings against those of roles and databases that would change the effect of statements.
    ///
    /// The server may compile a statement of many sub-queries (`jit`) for minutes, although the statement
    /// runs for a moment. Its estimates do not show this. Time limits are the client's. Saves set
    /// `howdah.save` for their own transactions, see `StoreSchema.Trigger`. For a whole session it would
    /// disable the triggers.
    static let settings = """
        -c jit=off -c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0 -c row_security=on \
        -c default_transaction_isolation=read\\ committed -c default_transaction_read_only=off \
        -c default_transaction_deferrable=off -c extra_float_digits=1 -c standard_conforming_strings=on \
        -c howdah.save=off
        """

    /// Returns the settings of the session, which its first message has.
    ///
    /// They are before those of the caller or the environment: the last of two wins. Only a read-only session cannot be
    /// made writable.
    func sessionOptions(
        environment: String? = getenv("PGOPTIONS").map { String(cString: $0) }
    ) -> String {
        let last = isReadOnly ? " -c default_transaction_read_only=on" : ""
        guard let own = self["options"] ?? environment, !own.isEmpty else { return Self.settings + last }
        return "\(Self.settings) \(own)\(last)"
    }

    private func hostEntries() -> [[String: String]] {
        let defaults = placeDefaults()
        func list(_ keyword: String) -> [String]? {
            (self[keyword] ?? defaults[keyword]).map {
                $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            }
        }
        let hosts = list("host")
        let addresses = list("hostaddr")
        let ports = list("port")
        let count = max(hosts?.count ?? 0, addresses?.count ?? 0)
        // Lists of unequal length are an error, and libpq's own message is the best one.
        guard count > 1, hosts.map({ $0.count == count }) ?? true,
            addresses.map({ $0.count == count }) ?? true,
            ports.map({ $0.count == count || $0.count == 1 }) ?? true
        else {
            // One, named here so that its addresses can be told apart.
            return [defaults.filter { self[$0.key] == nil }]
        }
        return (0..<count).map { index in
            var entry: [String: String] = [:]
            entry["host"] = hosts?[index]
            entry["hostaddr"] = addresses?[index]
            entry["port"] = ports.map { $0.count == 1 ? $0[0] : $0[index] }
            return entry
        }
    }

    /// Returns the host, address and port of the environment, if the string does not have them.
    private func placeDefaults() -> [String: String] {
        // A service of the string may name the host, and only libpq reads its file.
        guard self["service"] == nil, self["host"] == nil || self["port"] == nil,
            let options = PQconndefaults()
        else { return [:] }
        defer { PQconninfoFree(options) }
        var found: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            let name = String(cString: keyword)
            if ["host", "hostaddr", "port"].contains(name), let value = option.pointee.val {
                found[name] = String(cString: value)
            }
            option += 1
        }
        // A host of the string is not looked for at an address of the environment.
        if self["host"] != nil { found["hostaddr"] = nil }
        return found
    }
}
