import Foundation
import Synchronization

/// Answers like a pooler that takes no settings from its clients, with a session that can do nothing.
final class FussyPooler: Sendable {
    let directory: String
    private let listener: Int32
    /// The startup messages so far, as text with zero bytes.
    let greetings = Mutex<[String]>([])

    /// The time in which a statement gets no answer, before the session ends.
    private let stall: UInt32

    init(stalling seconds: UInt32 = 0) throws {
        stall = seconds
        directory =
            FileManager.default.temporaryDirectory.path
            + "/fussy-\(getpid())-\(UInt16.random(in: .min ... .max))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) {
            $0.copyBytes(from: Array("\(directory)/.s.PGSQL.5432".utf8))
        }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0, listen(listener, 5) == 0 else { throw CocoaError(.fileWriteUnknown) }
        let thread = Thread { [self] in
            while serve() {}
        }
        thread.start()
    }

    func close() {
        shutdown(listener, Int32(SHUT_RDWR))
        Foundation.close(listener)
        try? FileManager.default.removeItem(atPath: directory)
    }

    private func serve() -> Bool {
        let peer = accept(listener, nil, nil)
        guard peer >= 0 else { return false }
        defer { Foundation.close(peer) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(peer, &bytes, bytes.count)
        guard count > 8 else { return true }
        let greeting = String(decoding: bytes[8..<count], as: UTF8.self)
        greetings.withLock { $0.append(greeting) }
        if greeting.contains("options\0") {
            send(
                peer,
                message("E", "SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: options\0\0"))
            return true
        }
        send(peer, message("R", "\0\0\0\0") + message("S", "client_encoding\0UTF8\0"))
        send(peer, message("S", "server_version\0" + "15.1\0") + message("K", "\0\0\0\u{1}\0\0\0\u{1}"))
        send(peer, message("Z", "I"))
        _ = read(peer, &bytes, bytes.count)
        sleep(stall)
        return true
    }

    private func message(_ kind: Character, _ body: String) -> [UInt8] {
        let length = UInt32(body.utf8.count + 4).bigEndian
        return Array(String(kind).utf8) + withUnsafeBytes(of: length) { Array($0) } + Array(body.utf8)
    }

    private func send(_ peer: Int32, _ bytes: [UInt8]) { _ = write(peer, bytes, bytes.count) }
}
