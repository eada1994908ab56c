internal import CLibPQ
internal import Foundation

/// The opening of the C connection, address by address; every failed one is finished.
struct Handshake {
    private let timeout: Duration
    private let patience: Patience
    private let notices: NoticeReceiver

    static func open(
        _ configuration: ConnectionConfiguration, _ patience: Patience, notices: NoticeReceiver
    ) throws -> OpaquePointer {
        let handshake = Handshake(
            timeout: configuration.connectTimeout, patience: patience, notices: notices)
        return try handshake.open(configuration)
    }

    private func open(_ configuration: ConnectionConfiguration) throws -> OpaquePointer {
        var complaints: [Complaint] = []
        var hosts = HostAddresses(shuffles: configuration["load_balance_hosts"] == "random")
        for host in configuration.attempts() {
            if let folder = Self.replacedFolder(host, configuration) {
                complaints.append(
                    Complaint(
                        message:
                            "PGHOSTADDR is set, and libpq would connect to it instead of the socket in \(folder). "
                            + "Unset PGHOSTADDR."))
                continue
            }
            let attempts: [[String: String]]
            switch hosts.attempts(host) {
            case .success(let keywords): attempts = keywords
            case .failure(let failure):
                complaints.append(Complaint(message: failure.message))
                continue
            }
            for keywords in attempts {
                if patience.hasEnded {
                    complaints.append(Complaint(message: "the time to connect expired"))
                    throw Self.error(complaints)
                }
                switch attempt(keywords, configuration) {
                case .success(let handle): return handle
                case .failure(let complaint): complaints.append(complaint)
                }
            }
        }
        throw Self.error(complaints)
    }

    /// Returns the socket's folder of a connection string if libpq would ignore it for the address of the environment.
    private static func replacedFolder(
        _ host: [String: String], _ configuration: ConnectionConfiguration
    ) -> String? {
        guard configuration["host"] != nil, host["hostaddr"] == nil, let folder = host["host"],
            folder.hasPrefix("/") || folder.hasPrefix("@"), let address = getenv("PGHOSTADDR"),
            address.pointee != 0
        else { return nil }
        return folder
    }

    /// Tries again without settings if those were refused.
    private func attempt(
        _ keywords: [String: String], _ configuration: ConnectionConfiguration
    ) -> Result<OpaquePointer, Complaint> {
        let outcome = attempt(keywords)
        guard case .failure(let complaint) = outcome, complaint.isAboutSettings,
            keywords["options"] != configuration["options"]
        else { return outcome }
        // A pooler that passes no settings on; the session is then as the server makes it.
        var keywords = keywords
        keywords["options"] = configuration["options"]
        return attempt(keywords)
    }

    private static func error(_ complaints: [Complaint]) -> PostgresError {
        var error = PostgresError(
            .connectionFailed, complaints.map(\.message).joined(separator: "; "), phase: .connect)
        error.sqlState = complaints.lazy.compactMap(\.sqlState).first
        return error
    }

    private struct Complaint: Error {
        var message: String
        var sqlState: String?

        init(message: String) { self.message = message }

        /// Reads libpq's message in its verbose form.
        ///
        /// There, the SQLSTATE stands before the text, and a line for the position in the server's source
        /// after it.
        init(verbose message: String) {
            var lines = message.split(separator: "\n", omittingEmptySubsequences: false)
            let first = lines.firstIndex { $0.contains(Self.state) }
            if let first, let found = lines[first].firstMatch(of: Self.state) {
                sqlState = String(found.output.1)
                lines[first] = lines[first].replacing(Self.state, with: "  ", maxReplacements: 1)
                if lines.count > first + 1, lines[lines.count - 1].contains(Self.place) { lines.removeLast() }
            }
            self.message = lines.joined(separator: "\n")
        }

        private nonisolated(unsafe) static let state = #/  ([0-9A-Z]{5}): /#
        private nonisolated(unsafe) static let place = /^[^ ]+:  [^ ]+, [^ ]+\.c:[0-9]+$/

        /// Indicates whether the message is about the settings.
        ///
        /// Poolers name it in English, "unsupported startup parameter: options". libpq gives no SQLSTATE
        /// here.
        var isAboutSettings: Bool { message.contains("startup parameter") }
    }

    private func attempt(_ keywords: [String: String]) -> Result<OpaquePointer, Complaint> {
        let deadline = ContinuousClock.now + timeout
        guard let handle = Self.start(keywords) else {
            return .failure(Complaint(message: "libpq could not allocate memory for a connection"))
        }
        notices.install(on: handle)
        // The only way to learn the SQLSTATE of a refusal.
        PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        var poll = PGRES_POLLING_WRITING
        while PQstatus(handle) != CONNECTION_BAD, poll != PGRES_POLLING_OK, poll != PGRES_POLLING_FAILED {
            let isReady = Socket.wait(
                PQsocket(handle), reading: poll == PGRES_POLLING_READING,
                writing: poll == PGRES_POLLING_WRITING, until: patience.nextLook(before: deadline))
            if !isReady {
                if deadline > .now, !patience.hasEnded { continue }
                let host = PQhost(handle).map { String(cString: $0) } ?? ""
                PQfinish(handle)
                let time = deadline <= .now ? "within \(timeout)" : "in time"
                return .failure(Complaint(message: "\(host) did not answer \(time)"))
            }
            poll = PQconnectPoll(handle)
        }
        guard PQstatus(handle) == CONNECTION_OK else {
            let complaint = Complaint(verbose: Self.errorMessage(handle))
            PQfinish(handle)
            return .failure(complaint)
        }
        PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
        guard PQparameterStatus(handle, "client_encoding").map({ String(cString: $0) }) == "UTF8" else {
            PQfinish(handle)
            return .failure(Complaint(message: "the server did not accept UTF8 as the client's encoding"))
        }
        PQsetnonblocking(handle, 1)
        return .success(handle)
    }

    private static func start(_ keywords: [String: String]) -> OpaquePointer? {
        let pairs = Array(keywords)
        return withCStrings(pairs.map(\.key)) { names in
            withCStrings(pairs.map(\.value)) { values in PQconnectStartParams(names, values, 0) }
        }
    }

    private static func withCStrings<R>(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> R
    ) -> R {
        let arena = strings.flatMap { Array($0.utf8CString) }
        return arena.withUnsafeBufferPointer { arena in
            withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: strings.count + 1) {
                pointers in
                var offset = 0
                for (index, string) in strings.enumerated() {
                    pointers.initializeElement(at: index, to: arena.baseAddress.map { $0 + offset })
                    offset += string.utf8.count + 1
                }
                pointers.initializeElement(at: strings.count, to: nil)
                return body(UnsafePointer(pointers.baseAddress.unsafelyUnwrapped))
            }
        }
    }

    static func errorMessage(_ handle: OpaquePointer) -> String {
        var message = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        while message.last?.isWhitespace == true { message.removeLast() }
        return message
    }
}
