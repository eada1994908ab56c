import Foundation

/// The addresses of host names, each looked up once.
struct HostAddresses {
    private var known: [String: Result<[String], Failure>] = [:]
    private let shuffles: Bool

    struct Failure: Error {
        let message: String
    }

    /// Creates an empty list.
    ///
    /// - Parameter shuffles: Indicates whether the addresses of a name come in a random order.
    init(shuffles: Bool) { self.shuffles = shuffles }

    /// Returns the keyword sets to try for one host: one for each of its addresses.
    ///
    /// libpq tries all of them too, but continues only if one fails; a silent one would be the last. It
    /// blocks during the look-up of names.
    mutating func attempts(_ keywords: [String: String]) -> Result<[[String: String]], Failure> {
        guard keywords["hostaddr"] == nil, keywords["service"] == nil, let host = keywords["host"],
            !host.isEmpty, !host.hasPrefix("/"), !host.hasPrefix("@"), !host.contains(",")
        else { return .success([keywords]) }
        let addresses = known[host] ?? Self.addresses(of: host)
        if known[host] == nil { known[host] = addresses }
        return addresses.map { addresses in
            (shuffles ? addresses.shuffled() : addresses).map { address in
                var keywords = keywords
                keywords["hostaddr"] = address
                return keywords
            }
        }
    }

    private static func addresses(of host: String) -> Result<[String], Failure> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Darwin)
        hints.ai_socktype = SOCK_STREAM
        #else
        hints.ai_socktype = Int32(truncatingIfNeeded: SOCK_STREAM.rawValue)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &list)
        guard status == 0, let list else {
            let reason = gai_strerror(status).map { String(cString: $0) } ?? "unknown"
            return .failure(
                Failure(message: "could not translate host name \"\(host)\" to address: \(reason)"))
        }
        defer { freeaddrinfo(list) }
        var addresses: [String] = []
        var entry: UnsafeMutablePointer<addrinfo>? = list
        while let present = entry {
            if let text = text(of: present.pointee), !addresses.contains(text) { addresses.append(text) }
            entry = present.pointee.ai_next
        }
        return .success(addresses)
    }

    private static func text(of info: addrinfo) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer in
            let status = getnameinfo(
                info.ai_addr, info.ai_addrlen, buffer.baseAddress, socklen_t(NI_MAXHOST), nil, 0,
                NI_NUMERICHOST)
            return status == 0 ? buffer.baseAddress.map { String(cString: $0) } : nil
        }
    }
}
