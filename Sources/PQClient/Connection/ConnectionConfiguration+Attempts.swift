internal import Foundation

extension ConnectionConfiguration {
    /// Keywords that apply unless the user said otherwise.
    private static let defaults = [
        "fallback_application_name": "howdah", "keepalives": "1", "keepalives_idle": "5",
        "keepalives_interval": "2", "keepalives_count": "3", "tcp_user_timeout": "10000",
    ]

    /// The keyword sets to try one after the other.
    ///
    /// libpq tries several hosts itself, but applies its timeout to each only in the call that also writes early
    /// notices to stderr; so each host is an attempt of ours, with the same rules.
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

    /// Settings of the session, sent in its first message, before those that the caller or the environment asks for:
    /// the last of two wins.
    ///
    /// Compiling a statement of many sub-queries takes the server minutes where running it takes a moment, and its
    /// estimates cannot tell.
    func sessionOptions(
        environment: String? = ProcessInfo.processInfo.environment["PGOPTIONS"]
    ) -> String {
        guard let own = self["options"] ?? environment, !own.isEmpty else { return "-c jit=off" }
        return own.contains("jit") ? own : "-c jit=off \(own)"
    }

    private func hostEntries() -> [[String: String]] {
        func list(_ keyword: String) -> [String]? {
            self[keyword].map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        }
        let hosts = list("host")
        let addresses = list("hostaddr")
        let ports = list("port")
        let count = max(hosts?.count ?? 0, addresses?.count ?? 0)
        // Lists of unequal length are an error, and libpq's own message is the best one.
        guard count > 1, hosts.map({ $0.count == count }) ?? true,
            addresses.map({ $0.count == count }) ?? true,
            ports.map({ $0.count == count || $0.count == 1 }) ?? true
        else { return [[:]] }
        return (0..<count).map { index in
            var entry: [String: String] = [:]
            entry["host"] = hosts?[index]
            entry["hostaddr"] = addresses?[index]
            entry["port"] = ports.map { $0.count == 1 ? $0[0] : $0[index] }
            return entry
        }
    }
}
