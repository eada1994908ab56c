internal import CLibPQ

/// Opens the C connection, host by host, and finishes every one that failed.
enum Handshake {
    static func open(
        _ configuration: ConnectionConfiguration, notices: NoticeReceiver
    ) throws -> OpaquePointer {
        var messages: [String] = []
        for keywords in configuration.attempts() {
            var outcome = attempt(keywords, configuration.connectTimeout, notices)
            if case .failure(let complaint) = outcome, complaint.isAboutSettings,
                keywords["options"] != configuration["options"]
            {
                // A pooler that passes no settings on; the session is then as the server makes it.
                var keywords = keywords
                keywords["options"] = configuration["options"]
                outcome = attempt(keywords, configuration.connectTimeout, notices)
            }
            switch outcome {
            case .success(let handle): return handle
            case .failure(let complaint): messages.append(complaint.message)
            }
        }
        throw PostgresError(
            .connectionFailed, messages.joined(separator: "; "), phase: .connect)
    }

    private struct Complaint: Error {
        let message: String

        /// Poolers name it in English, "unsupported startup parameter: options"; libpq hands out no SQLSTATE here.
        var isAboutSettings: Bool { message.contains("startup parameter") }
    }

    private static func attempt(
        _ keywords: [String: String], _ timeout: Duration, _ notices: NoticeReceiver
    ) -> Result<OpaquePointer, Complaint> {
        let deadline = ContinuousClock.now + timeout
        guard let handle = start(keywords) else {
            return .failure(Complaint(message: "libpq has no memory for a connection."))
        }
        notices.install(on: handle)
        var poll = PGRES_POLLING_WRITING
        while PQstatus(handle) != CONNECTION_BAD, poll != PGRES_POLLING_OK, poll != PGRES_POLLING_FAILED {
            let isReady = Socket.wait(
                PQsocket(handle), reading: poll == PGRES_POLLING_READING,
                writing: poll == PGRES_POLLING_WRITING, until: deadline)
            if !isReady {
                let host = PQhost(handle).map { String(cString: $0) } ?? ""
                PQfinish(handle)
                return .failure(Complaint(message: "\(host) did not answer within \(timeout)"))
            }
            poll = PQconnectPoll(handle)
        }
        guard PQstatus(handle) == CONNECTION_OK else {
            let message = errorMessage(handle)
            PQfinish(handle)
            return .failure(Complaint(message: message))
        }
        guard PQparameterStatus(handle, "client_encoding").map({ String(cString: $0) }) == "UTF8" else {
            PQfinish(handle)
            return .failure(Complaint(message: "The server does not speak UTF8 to this client."))
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
